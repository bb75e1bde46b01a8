// SPDX-License-Identifier: Apache-2.0
#include "config/scalar.h"

#include <fmt/format.h>

#include <cmath>

#include "config/quantity.h"

namespace weir {

template <>
std::string_view expectation<bool>() {
  return "true or false";
}
template <>
std::string_view expectation<std::int64_t>() {
  return "an integer";
}
template <>
std::string_view expectation<double>() {
  return "a number";
}
template <>
std::string_view expectation<std::string>() {
  return "a string";
}
template <>
std::string_view expectation<Duration>() {
  return "a duration with its unit, such as \"600 ns\"";
}
template <>
std::string_view expectation<Time>() {
  return "a time with its unit, such as \"50 us\"";
}
template <>
std::string_view expectation<Bytes>() {
  return "a size with its unit, such as \"12 MB\"";
}
template <>
std::string_view expectation<BitRate>() {
  return "a rate with its unit, such as \"100 Gbit/s\"";
}

namespace {

template <class T>
Refusal wrong_kind(const Value& value) {
  return {fmt::format("is {}, expected {}", description(value), expectation<T>()), {}};
}

template <class T>
Refusal read_exact(const Value& value, T& target) {
  const T* held = std::get_if<T>(&value.data);
  if (held == nullptr) return wrong_kind<T>(value);
  target = *held;
  return {};
}

template <class T, class Parse>
Refusal read_quantity(const Value& value, T& target, Parse parse) {
  const std::string* text = value.text();
  if (text == nullptr) return wrong_kind<T>(value);
  auto quantity = parse(*text);
  if (!quantity.ok()) return {std::move(quantity.wrong), std::move(quantity.suggestion)};
  target = quantity.value;
  return {};
}

}  // namespace

Refusal read_scalar(const Value& value, bool& target) {
  return read_exact(value, target);
}
Refusal read_scalar(const Value& value, std::int64_t& target) {
  return read_exact(value, target);
}
Refusal read_scalar(const Value& value, std::string& target) {
  return read_exact(value, target);
}

Refusal read_scalar(const Value& value, double& target) {
  double number = 0;
  if (const auto* real = std::get_if<double>(&value.data)) {
    number = *real;
  } else if (const auto* integer = std::get_if<std::int64_t>(&value.data)) {
    number = static_cast<double>(*integer);
  } else {
    return wrong_kind<double>(value);
  }
  if (!std::isfinite(number)) return {fmt::format("is {}, expected a finite number", number), {}};
  target = number;
  return {};
}

Refusal read_scalar(const Value& value, Duration& target) {
  return read_quantity(value, target, parse_duration);
}
Refusal read_scalar(const Value& value, Bytes& target) {
  return read_quantity(value, target, parse_bytes);
}
Refusal read_scalar(const Value& value, BitRate& target) {
  return read_quantity(value, target, parse_bit_rate);
}

Refusal read_scalar(const Value& value, Time& target) {
  if (value.text() == nullptr) return wrong_kind<Time>(value);
  Duration since_start;
  Refusal refusal = read_scalar(value, since_start);
  if (refusal.message.empty()) target = Time() + since_start;
  return refusal;
}

std::string written(bool value) {
  return value ? "true" : "false";
}
std::string written(std::int64_t value) {
  return fmt::format("{}", value);
}

std::string written(double value) {
  std::string text = fmt::format("{}", value);
  // 2 would be read back as an integer.
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string written(const std::string& value) {
  return in_quotes(value);
}
std::string written(Duration value) {
  return in_quotes(to_text(value));
}
std::string written(Time value) {
  return written(value.since_start());
}
std::string written(Bytes value) {
  return in_quotes(to_text(value));
}
std::string written(BitRate value) {
  return in_quotes(to_text(value));
}

std::string written(const Value& value) {
  if (const Value::List* list = value.list()) {
    std::string out;
    for (const Value& element : *list) out += (out.empty() ? "" : ", ") + written(element);
    return "[" + out + "]";
  }
  if (const Value::Table* table = value.table()) {
    std::string out;
    for (const Value::Member& member : *table) {
      out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", written_key(member.key), written(member.value));
    }
    return out.empty() ? "{}" : "{ " + out + " }";
  }
  if (const std::string* text = value.text()) return in_quotes(*text);
  if (const double* real = std::get_if<double>(&value.data)) return written(*real);
  return description(value);
}

std::string LengthRange::text() const {
  const bool bounded = most != std::numeric_limits<std::size_t>::max();
  if (least == most) return fmt::format("{}", least);
  if (least > 0 && bounded) return fmt::format("{} to {}", least, most);
  if (least > 0) return fmt::format("at least {}", least);
  return bounded ? fmt::format("at most {}", most) : std::string();
}

}  // namespace weir
