// SPDX-License-Identifier: Apache-2.0
// PNG from SVG by librsvg (LGPL-2.1), which is loaded when a PNG is asked for and needs no headers to build:
// it brings 60 shared libraries. The library draws SVG and needs nothing for it.
#include <initializer_list>
#include <memory>

#include "cli.hpp"
#include "shared_library.hpp"
#include "show.hpp"

namespace tenstride::cli {
namespace {

constexpr double scale = 2;

// What librsvg, GLib and cairo declare, which is part of their stable ABI.
struct Handle;
struct Surface;
struct Context;
struct Error {
  unsigned domain;
  int code;
  char* message;
};
struct Rectangle {
  double x, y, width, height;
};
using WriteBytes = int(void* closure, const unsigned char* bytes, unsigned count);
constexpr int format_rgb24 = 1;

/// The functions of librsvg and of what it is made of.
class Renderer {
 public:
  Renderer() : Renderer(SharedLibrary("librsvg-2.so.2")) {}

  Handle* (*open)(const unsigned char* data, std::size_t size, Error** error) = nullptr;
  int (*size_of)(Handle*, double* width, double* height) = nullptr;
  int (*render)(Handle*, Context*, const Rectangle* viewport, Error** error) = nullptr;
  void (*release)(void* object) = nullptr;
  void (*free_error)(Error*) = nullptr;
  Surface* (*create_surface)(int format, int width, int height) = nullptr;
  void (*destroy_surface)(Surface*) = nullptr;
  int (*write_png)(Surface*, WriteBytes*, void* closure) = nullptr;
  Context* (*create_context)(Surface*) = nullptr;
  void (*destroy_context)(Context*) = nullptr;
  void (*set_color)(Context*, double red, double green, double blue) = nullptr;
  void (*paint)(Context*) = nullptr;
  const char* (*text_of_status)(int status) = nullptr;

 private:
  explicit Renderer(const SharedLibrary& library) {
    const auto load = [&]<class Function>(Function*& function, const char* name) {
      if (library.is_loaded()) function = library.find<Function>(name);
      if (function == nullptr) {
        throw WorkError(
            "show: PNG is written by librsvg, which is not installed (apt-get install librsvg2-2); write an "
            ".svg, which needs nothing and every browser shows");
      }
    };
    load(open, "rsvg_handle_new_from_data");
    load(size_of, "rsvg_handle_get_intrinsic_size_in_pixels");
    load(render, "rsvg_handle_render_document");
    load(release, "g_object_unref");
    load(free_error, "g_error_free");
    load(create_surface, "cairo_image_surface_create");
    load(destroy_surface, "cairo_surface_destroy");
    load(write_png, "cairo_surface_write_to_png_stream");
    load(create_context, "cairo_create");
    load(destroy_context, "cairo_destroy");
    load(set_color, "cairo_set_source_rgb");
    load(paint, "cairo_paint");
    load(text_of_status, "cairo_status_to_string");
  }
};

int append_bytes(void* text, const unsigned char* bytes, unsigned count) {
  static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), count);
  return 0;
}

}  // namespace

std::string png_of_svg(const std::string& svg) {
  const Renderer renderer;
  Error* raw_error = nullptr;
  const std::unique_ptr<Handle, void (*)(void*)> handle(
      renderer.open(reinterpret_cast<const unsigned char*>(svg.data()), svg.size(), &raw_error),
      renderer.release);
  const auto fail = [&] {
    const std::unique_ptr<Error, void (*)(Error*)> error(raw_error, renderer.free_error);
    throw WorkError(std::string("show: librsvg cannot draw the picture: ") +
                    (error ? error->message : "unknown"));
  };
  if (!handle) fail();
  double width = 0;
  double height = 0;
  if (renderer.size_of(handle.get(), &width, &height) == 0) fail();
  const std::unique_ptr<Surface, void (*)(Surface*)> surface(
      renderer.create_surface(format_rgb24, static_cast<int>(width * scale),
                              static_cast<int>(height * scale)),
      renderer.destroy_surface);
  const std::unique_ptr<Context, void (*)(Context*)> context(renderer.create_context(surface.get()),
                                                             renderer.destroy_context);
  renderer.set_color(context.get(), 1, 1, 1);
  renderer.paint(context.get());
  const Rectangle viewport{0, 0, width * scale, height * scale};
  if (renderer.render(handle.get(), context.get(), &viewport, &raw_error) == 0) fail();
  std::string png;
  if (const int status = renderer.write_png(surface.get(), append_bytes, &png); status != 0) {
    throw WorkError(std::string("show: the PNG cannot be made: ") + renderer.text_of_status(status));
  }
  return png;
}

}  // namespace tenstride::cli
