// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <cstring>

#include "convert.hpp"
#include "json.hpp"
#include "rescaling_text.hpp"
#include "tenstride/layout/text.hpp"
#include "terminal_text.hpp"
#include "upright.hpp"

namespace tenstride::cli {
namespace {

std::string call_text(const ConvertCommand& command, TextRange range) {
  std::string text = command.spec.substr(range.begin, range.end - range.begin);
  for (char& c : text) {
    if (c == '\n' || c == '\t') c = ' ';
  }
  return text;
}

Index bytes_of(const Layout& layout, DType dtype) {
  return numel(layout) * static_cast<Index>(item_size(dtype));
}

}  // namespace

std::string arithmetic_text(const std::vector<double>& scale, const std::vector<double>& shift) {
  const auto numbers = [](const std::vector<double>& list) {
    std::string text;
    for (const double number : list) text += (text.empty() ? "" : ",") + decimal(number, "%.9g");
    return text;
  };
  std::string text;
  if (!scale.empty()) text += ", times " + numbers(scale);
  if (!shift.empty()) text += ", plus " + numbers(shift);
  return text;
}

std::string order_word(io::ElementOrder order) {
  return order == io::ElementOrder::row_major ? "row-major" : "column-major";
}

std::string meaning_text(const std::optional<io::Rescaling>& rescaling, DType given) {
  if (!rescaling) return {};
  std::string text;
  if (rescaling->stored != given) text += ", read as " + std::string(name(rescaling->stored));
  if (rescaling->is_scaled()) text += arithmetic_text({rescaling->scale}, {rescaling->shift});
  return text;
}

std::string verified_text(std::optional<Index> count) {
  if (!count) return {};
  return "verified: all " + std::to_string(*count) + " elements are what they must be, one by one\n";
}

namespace {

std::vector<std::string> write_row(const Bill& bill, const ConvertPlan& plan, Index read) {
  std::string cost = bytes_to_text(read) + " read, " +
                     bytes_to_text(bytes_of(plan.output_layout(), plan.dtype)) + " written" +
                     meaning_text(plan.rescaling, plan.info.dtype) + arithmetic_text(plan.scale, plan.shift);
  return {std::to_string(bill.steps.size() + 1), "write", to_string(plan.output_layout()),
          std::string(name(plan.dtype)),         "copy",  cost};
}

std::string orientation_text(const ConvertPlan& plan) {
  if (plan.info.orientation == io::Orientation::upright) return {};
  return orientation_name(plan.info) + " " + std::to_string(static_cast<int>(plan.info.orientation)) +
         ": the picture is stored " + std::string(io::description(plan.info.orientation)) +
         (plan.turns_upright ? "; x is seen upright\n" : "; --upright turns it\n");
}

std::string rows_text(const Bill& bill, const ConvertPlan& plan, const ConvertCommand& command) {
  std::vector<std::vector<std::string>> rows{{"0", "x", to_string(plan.info.layout),
                                              std::string(name(plan.info.dtype)), "input",
                                              plan.info.is_mapped ? "mapped" : "read into memory"}};
  Index read_before = 0;
  std::string notes;
  for (std::size_t i = 0; i < bill.steps.size(); ++i) {
    const Step& step = bill.steps[i];
    const bool is_fused = i + bill.fused >= bill.steps.size();
    std::string cost;
    if (is_fused && step.kind == StepKind::copy) {
      cost = "done by the write";
    } else if (step.kind == StepKind::copy) {
      const Index written = bytes_of(step.layout, step.dtype);
      read_before += step.bytes_moved - written;
      cost = bytes_to_text(step.bytes_moved - written) + " read, " + bytes_to_text(written) +
             " written: " + step.reason;
    }
    if (!step.hint.empty()) notes += "note: " + call_text(command, step.range) + ": " + step.hint + '\n';
    rows.push_back({std::to_string(i + 1), call_text(command, step.range), to_string(step.layout),
                    std::string(name(step.dtype)), std::string(name(step.kind)), cost});
  }
  rows.push_back(write_row(bill, plan, bill.bytes_read - read_before));
  for (const std::string& note : plan.facts.notes) notes += "note: " + note + '\n';
  return lay_out(rows) + orientation_text(plan) + notes;
}

std::string totals_text(const Bill& bill) {
  std::string text = std::to_string(bill.copies) + (bill.copies == 1 ? " copy, " : " copies, ") +
                     bytes_to_text(bill.bytes_read) + " read, " + bytes_to_text(bill.bytes_written) +
                     " written";
  if (!bill.speed) return text + '\n';
  const Speed& speed = *bill.speed;
  text += " in " + decimal(speed.seconds, "%.4g") + " s";
  if (speed.rate) {
    text += ": " + decimal(speed.rate->gigabytes_per_second) +
            " GB/s (memcpy: " + decimal(speed.rate->memcpy_gigabytes_per_second) + " GB/s)";
  }
  if (speed.flush_seconds) text += ", flushed in " + decimal(*speed.flush_seconds, "%.3g") + " s";
  return text + '\n';
}

std::string forecast_text(const Forecast& forecast) {
  return "forecast: " + std::to_string(forecast.totals.copies) +
         (forecast.totals.copies == 1 ? " copy, " : " copies, ") + bytes_to_text(forecast.totals.bytes_read) +
         " read, " + bytes_to_text(forecast.totals.bytes_written) + " written, at most " +
         bytes_to_text(forecast.totals.peak_bytes) + " of memory held beside the files, about " +
         decimal(forecast.seconds, "%.2g") + " s at this machine's bandwidth (see tenstride bench)\n";
}

/// 1 to 8; null of what is no picture and no TIFF file.
Json orientation_json(const io::FileInfo& info) {
  if (info.storage != io::ElementStorage::encoded && info.kind != io::FileKind::tiff) return nullptr;
  return static_cast<int>(info.orientation);
}

Json forecast_json(const std::optional<Forecast>& forecast) {
  if (!forecast) return nullptr;
  return {{"copies", forecast->totals.copies},
          {"bytes_read", forecast->totals.bytes_read},
          {"bytes_written", forecast->totals.bytes_written},
          {"bytes_allocated", forecast->totals.bytes_allocated},
          {"peak_bytes", forecast->totals.peak_bytes},
          {"seconds", forecast->seconds}};
}

}  // namespace

Bill make_bill(const ConvertPlan& plan, const std::vector<Step>& steps, const Layout& source,
               DType source_dtype) {
  Bill bill;
  bill.steps = steps;
  bill.fused = plan.fused;
  bill.copies = 1;
  for (std::size_t i = 0; i + plan.fused < steps.size(); ++i) {
    if (steps[i].kind != StepKind::copy) continue;
    const Index written = bytes_of(steps[i].layout, steps[i].dtype);
    ++bill.copies;
    bill.bytes_read += steps[i].bytes_moved - written;
    bill.bytes_written += written;
  }
  bill.bytes_read += bytes_of(source, source_dtype);
  bill.bytes_written += bytes_of(plan.output_layout(), plan.dtype);
  return bill;
}

std::string to_text(const Bill& bill, const ConvertPlan& plan, const ConvertCommand& command) {
  std::string text = rows_text(bill, plan, command) + '\n' + totals_text(bill);
  if (command.rehearsal != Rehearsal::verify_only) text += to_string(plan.facts.dropped);
  if (command.rehearsal == Rehearsal::dry_run) {
    text += forecast_text(*bill.forecast);
    if (plan.rescaling) text += missing_line(*plan.rescaling);
    return text + "dry run: nothing but the header was read, nothing was written\n";
  }
  if (command.rehearsal == Rehearsal::none) {
    text += "wrote " + (plan.is_to_standard_output ? "standard output" : command.output) + ": " +
            std::string(name(plan.dtype)) + " " + to_string(plan.shape) + ", " + order_word(plan.order) +
            ", " + bytes_to_text(bytes_of(plan.output_layout(), plan.dtype)) + '\n';
  }
  if (bill.missing) text += missing_line(*plan.rescaling, *bill.missing, count_elements(plan.shape));
  if (bill.checksum) text += "checksum " + to_string(*bill.checksum) + '\n';
  return text + verified_text(bill.verified);
}

std::string to_json(const Bill& bill, const ConvertPlan& plan, const ConvertCommand& command) {
  Json json;
  json["input"] = input_json(command.input, plan.info);
  json["input"]["mapped"] = plan.info.is_mapped;
  json["input"]["orientation"] = orientation_json(plan.info);
  json["input"]["upright"] = plan.turns_upright;
  json["spec"] = command.spec;
  json["steps"] = Json::parse(tenstride::to_json(bill.steps));
  json["fused"] = bill.fused;
  json["output"] = output_json(command.output, plan.dtype, plan.shape,
                               {plan.order, {}, plan.scale, plan.shift, plan.axis}, plan.rescaling);
  json["dropped"] = dropped_json(plan.facts.dropped);
  json["notes"] = plan.facts.notes;
  json["totals"] = {
      {"copies", bill.copies}, {"bytes_read", bill.bytes_read}, {"bytes_written", bill.bytes_written}};
  for (const char* key : {"seconds", "flush_seconds", "gb_per_second", "memcpy_gb_per_second"})
    json["totals"][key] = nullptr;
  if (bill.speed) {
    json["totals"]["seconds"] = bill.speed->seconds;
    if (bill.speed->flush_seconds) json["totals"]["flush_seconds"] = *bill.speed->flush_seconds;
    if (bill.speed->rate) {
      json["totals"]["gb_per_second"] = bill.speed->rate->gigabytes_per_second;
      json["totals"]["memcpy_gb_per_second"] = bill.speed->rate->memcpy_gigabytes_per_second;
    }
  }
  json["forecast"] = forecast_json(bill.forecast);
  json["dry_run"] = command.rehearsal == Rehearsal::dry_run;
  json["missing"] = bill.missing ? Json(*bill.missing) : Json(nullptr);
  json["checksum"] = bill.checksum ? Json(to_string(*bill.checksum)) : Json(nullptr);
  json["verified"] = bill.verified ? Json(*bill.verified) : Json(nullptr);
  return to_line(json);
}

}  // namespace tenstride::cli
