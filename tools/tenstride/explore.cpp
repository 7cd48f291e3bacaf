// SPDX-License-Identifier: Apache-2.0
#include "explore.hpp"

#include "cli.hpp"

#ifdef TENSTRIDE_HAS_HTTPLIB
#include <fcntl.h>
#include <httplib.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string_view>
#include <vector>
#endif

namespace tenstride::cli {

#ifdef TENSTRIDE_HAS_HTTPLIB
namespace {

constexpr const char* loopback = "127.0.0.1";

/// Where the page is looked for: installed beside this program, and around the build folder that it is in.
std::vector<std::filesystem::path> known_folders() {
  std::error_code ignored;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const std::filesystem::path prefix = program.parent_path().parent_path();
  std::vector<std::filesystem::path> folders{prefix / "share/tenstride/explorer"};
  if (std::filesystem::exists(prefix / "CMakeCache.txt", ignored)) {
    folders.push_back(prefix.parent_path() / "explorer/page");
  }
  return folders;
}

std::filesystem::path folder_of_page(const ExploreCommand& command) {
  std::vector<std::filesystem::path> folders = known_folders();
  if (!command.folder.empty()) folders = {command.folder};
  std::string names;
  for (const std::filesystem::path& folder : folders) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(folder / "index.html", ignored)) return folder;
    names += (names.empty() ? "" : " or ") + folder.string();
  }
  throw WorkError("explore: the folder of the explorer's page (" + names +
                  ") must hold index.html; make explorer builds it in the sources of tenstride as "
                  "build/explorer/page, and --folder takes that");
}

/// As URLSearchParams writes the value of a field, which the page reads: "x[0] + 1" gives "x%5B0%5D+%2B+1".
std::string field_of_form(const std::string& text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789*-._";
  std::string field;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ') {
      field += '+';
    } else if (plain.find(c) != std::string_view::npos) {
      field += c;
    } else {
      field += {'%', digits[byte >> 4U], digits[byte & 15U]};
    }
  }
  return field;
}

/// By xdg-open, where it and a display are. The browser is in a group of its own, so that Ctrl-C does not end
/// it, and its messages do not go between the program's.
void open_browser(std::string address) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&streams, descriptor, "/dev/null", O_RDWR, 0);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;  // that the server ignores
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  std::string name = "xdg-open";
  const std::array<char*, 3> arguments{name.data(), address.data(), nullptr};
  pid_t child = 0;
  posix_spawnp(&child, name.c_str(), &streams, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&streams);
}

/// A page of another site whose name leads here (DNS rebinding) has that name as the request's Host.
void refuse_what_is_not_for_the_page(httplib::Server& server, const std::string& port) {
  server.set_pre_routing_handler([port](const httplib::Request& request, httplib::Response& response) {
    const std::string host = request.get_header_value("Host");
    if (host != loopback + port && host != "localhost" + port) {
      response.status = 403;
    } else if (request.method != "GET") {
      response.status = 405;
      response.set_header("Allow", "GET");
    } else {
      return httplib::Server::HandlerResponse::Unhandled;
    }
    return httplib::Server::HandlerResponse::Handled;
  });
}

}  // namespace

extern "C" {
static void end_well(int /*signal_number*/) {
  _exit(done);
}
}

int run(const ExploreCommand& command) {
  const std::filesystem::path folder = folder_of_page(command);
  httplib::Server server;
  server.set_mount_point("/", folder.string(), {{"Cache-Control", "no-cache"}});
  server.set_file_extension_and_mimetype_mapping("mjs", "text/javascript");
  // The library's own options let two programs listen at one port.
  server.set_socket_options([](socket_t server_socket) {
    const int on = 1;
    setsockopt(server_socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  });
  int port = command.port;
  if (port == 0) {
    port = server.bind_to_any_port(loopback);
  } else if (!server.bind_to_port(loopback, port)) {
    throw WorkError("explore: the port (" + std::to_string(port) +
                    ") must be one that is free on 127.0.0.1; without --port one is found");
  }
  // Browsers leave out the port of the scheme.
  const std::string port_in_address = port == 80 ? "" : ":" + std::to_string(port);
  refuse_what_is_not_for_the_page(server, port_in_address);

  std::string address = "http://" + (loopback + port_in_address) + "/";
  if (!command.expression.empty()) address += "#code=" + field_of_form(command.expression);
  struct sigaction before {};
  sigaction(SIGINT, nullptr, &before);
  if (before.sa_handler != SIG_IGN) std::signal(SIGINT, end_well);
  std::cout << address << "\nCtrl-C ends the server of this page.\n" << std::flush;
  if (!command.opens_nothing) open_browser(address);
  if (!server.listen_after_bind()) throw WorkError("explore: " + address + " takes no connections any more");
  return done;
}
#else
int run(const ExploreCommand& /*command*/) {
  throw WorkError(
      "explore: this program was built without cpp-httplib; install libcpp-httplib-dev and build it again, "
      "or "
      "run python -m tenstride explore");
}
#endif

}  // namespace tenstride::cli
