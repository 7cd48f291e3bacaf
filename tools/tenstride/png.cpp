// SPDX-License-Identifier: Apache-2.0
// PNG from SVG by librsvg, which stands behind the program alone: the library draws SVG and needs nothing for
// it. librsvg is LGPL-2.1 and linked dynamically; the program is built without it where it is not found.
#include "cli.hpp"
#include "show.hpp"

#ifdef TENSTRIDE_HAS_RSVG

#include <librsvg/rsvg.h>

#include <memory>

namespace tenstride::cli {
namespace {

constexpr double scale = 2;

struct Release {
  void operator()(RsvgHandle* handle) const { g_object_unref(handle); }
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
  void operator()(GError* error) const { g_error_free(error); }
};

cairo_status_t append_bytes(void* text, const unsigned char* bytes, unsigned int count) {
  static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), count);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

std::string png_of_svg(const std::string& svg) {
  GError* raw_error = nullptr;
  const std::unique_ptr<RsvgHandle, Release> handle(
      rsvg_handle_new_from_data(reinterpret_cast<const guint8*>(svg.data()), svg.size(), &raw_error));
  const auto fail = [&raw_error] {
    const std::unique_ptr<GError, Release> error(raw_error);
    throw WorkError(std::string("show: librsvg cannot draw the picture: ") +
                    (error ? error->message : "unknown"));
  };
  if (!handle) fail();
  double width = 0;
  double height = 0;
  if (rsvg_handle_get_intrinsic_size_in_pixels(handle.get(), &width, &height) == 0) fail();
  const std::unique_ptr<cairo_surface_t, Release> surface(cairo_image_surface_create(
      CAIRO_FORMAT_RGB24, static_cast<int>(width * scale), static_cast<int>(height * scale)));
  const std::unique_ptr<cairo_t, Release> context(cairo_create(surface.get()));
  cairo_set_source_rgb(context.get(), 1, 1, 1);
  cairo_paint(context.get());
  const RsvgRectangle viewport{0, 0, width * scale, height * scale};
  if (rsvg_handle_render_document(handle.get(), context.get(), &viewport, &raw_error) == 0) fail();
  std::string png;
  const cairo_status_t status = cairo_surface_write_to_png_stream(surface.get(), append_bytes, &png);
  if (status != CAIRO_STATUS_SUCCESS) {
    throw WorkError(std::string("show: the PNG cannot be made: ") + cairo_status_to_string(status));
  }
  return png;
}

}  // namespace tenstride::cli

#else

namespace tenstride::cli {

std::string png_of_svg(const std::string&) {
  throw WorkError(
      "show: this tenstride was built without librsvg, so it writes no PNG; write an .svg (every browser "
      "shows it, "
      "rsvg-convert turns it into a PNG), or install librsvg2-dev and build again");
}

}  // namespace tenstride::cli

#endif
