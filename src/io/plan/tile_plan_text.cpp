// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/message.hpp"
#include "io/plan/tile_plan.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride {
namespace {

using detail::message;

std::string decimal(double value, const char* format) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string traffic_text(const BlockTraffic& traffic) {
  return message(bytes_to_text(traffic.bytes), " in ", traffic.requests, " requests, runs of ",
                 bytes_to_text(traffic.run_bytes));
}

std::string pass_text(const TilePlan& plan, std::size_t number) {
  const TilePass& pass = plan.passes[number];
  const bool is_first_of_two = plan.passes.size() == 2 && number == 0;
  const bool is_second = number == 1;
  std::string text =
      message("pass ", number + 1, "  ", pass.tiles, pass.tiles == 1 ? " tile of " : " tiles of ",
              to_string(pass.tile), ", each read into ", bytes_to_text(pass.tile_bytes), "\n");
  text += message("  read   ", traffic_text(pass.read), is_second ? ", from blocks" : "", "\n");
  text += message("  write  ", traffic_text(pass.write), is_first_of_two ? ", into blocks" : "", "\n");
  return text;
}

std::string parts_text(const TilePlan& plan) {
  std::string text;
  for (const TilePass& pass : plan.passes) {
    text += message(text.empty() ? "" : "\n", "chunks  ", pass.tiles, pass.tiles == 1 ? " tile" : " tiles",
                    " of ", pass.tile, ", units of ", pass.unit, "; ", bytes_to_text(pass.read.bytes),
                    " decoded from chunks of ", pass.part, ", ", bytes_to_text(plan.memory), " of memory");
  }
  return text;
}

nlohmann::ordered_json to_object(const BlockTraffic& traffic) {
  return {{"run_bytes", traffic.run_bytes},
          {"runs", traffic.runs},
          {"requests", traffic.requests},
          {"bytes", traffic.bytes}};
}

nlohmann::ordered_json to_object(const TilePass& pass) {
  return {{"tile", pass.tile.to_vector()},   {"tiles", pass.tiles},           {"tile_bytes", pass.tile_bytes},
          {"group_bytes", pass.group_bytes}, {"kept_pages", pass.kept_pages}, {"read", to_object(pass.read)},
          {"write", to_object(pass.write)},  {"seconds", pass.seconds}};
}

nlohmann::ordered_json parts_object(const TilePass& pass) {
  return {{"tile", pass.tile.to_vector()},         {"tiles", pass.tiles},
          {"part", pass.part.to_vector()},         {"unit", pass.unit.to_vector()},
          {"units_bytes", pass.units_bytes},       {"read", {{"bytes", pass.read.bytes}}},
          {"write", {{"bytes", pass.write.bytes}}}};
}

}  // namespace

std::string to_string(const TilePlan& plan) {
  if (plan.is_in_parts) return parts_text(plan);
  std::string text =
      message("axes    source ", to_string(plan.problem.src), ", ", plan.problem.src_item,
              " B each; destination ", to_string(plan.problem.dst), ", ", plan.problem.dst_item, " B each\n");
  for (std::size_t number = 0; number < plan.passes.size(); ++number) text += pass_text(plan, number);
  if (plan.passes.size() == 2) {
    text += message("blocks  ", to_string(plan.block), " in slots of ", bytes_to_text(plan.slot_bytes),
                    ", temporary space of ", bytes_to_text(plan.temporary_bytes), "\n");
  }
  text += message("total   ", bytes_to_text(plan.bytes_read()), " read, ",
                  bytes_to_text(plan.bytes_written()), " written, ", plan.requests(), " requests",
                  plan.is_counted ? "" : " (estimated)", ", pages of ", plan.page, " B, ",
                  bytes_to_text(plan.memory), " of memory, about ", decimal(plan.seconds, "%.3g"), " s");
  return text;
}

std::string to_json(const TilePlan& plan) {
  nlohmann::ordered_json json;
  if (!plan.is_in_parts) {
    json["source"] = to_string(plan.problem.src);
    json["destination"] = to_string(plan.problem.dst);
  }
  json["source_item"] = plan.problem.src_item;
  json["destination_item"] = plan.problem.dst_item;
  json["passes"] = nlohmann::ordered_json::array();
  for (const TilePass& pass : plan.passes)
    json["passes"].push_back(plan.is_in_parts ? parts_object(pass) : to_object(pass));
  json["block"] = plan.block.to_vector();
  json["temporary_bytes"] = plan.temporary_bytes;
  json["bytes_read"] = plan.bytes_read();
  json["bytes_written"] = plan.bytes_written();
  if (plan.is_in_parts) {
    json["threads"] = plan.threads;
  } else {
    json["requests"] = plan.requests();
    json["is_counted"] = plan.is_counted;
    json["page"] = plan.page;
  }
  json["memory"] = plan.memory;
  if (!plan.is_in_parts) json["seconds"] = plan.seconds;
  return json.dump();
}

}  // namespace tenstride
