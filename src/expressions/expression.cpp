// SPDX-License-Identifier: Apache-2.0
#include "expressions/expression.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <string>

#include "config/nearest_name.h"

namespace weir {
namespace {

using Kind = Expression::Kind;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct Token {
  enum class Kind : std::uint8_t { end, number, text, name, symbol } kind = Kind::end;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;  ///< of a name or symbol; for a text, without its quotes
  double number = 0;
};

/// Splits the text into tokens, one ahead of the parser.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { advance(); }

  [[nodiscard]] const Token& ahead() const { return ahead_; }
  [[nodiscard]] std::size_t last_end() const { return last_end_; }
  Token take() {
    Token token = std::move(ahead_);
    last_end_ = token.end;
    advance();
    return token;
  }
  /// Consumes the unit after a number, with or without a blank, if there is one.
  const Unit* take_unit() {
    const std::size_t first = ahead_.begin;
    std::size_t last = first;
    if (last < text_.size() && text_[last] == '%') ++last;
    while (last < text_.size() && is_letter(text_[last])) ++last;
    if (text_.substr(last, 2) == "/s") last += 2;
    const Unit* unit = find_unit(text_.substr(first, last - first));
    if (unit == nullptr) return nullptr;
    at_ = last;
    last_end_ = last;
    advance();
    return unit;
  }

 private:
  void advance() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    ahead_ = Token();
    ahead_.begin = at_;
    if (at_ == text_.size()) {
      ahead_.end = at_;
      return;
    }
    const char c = text_[at_];
    if (is_digit(c)) {
      number();
    } else if (c == '"' || c == '\'') {
      quoted(c);
    } else if (is_letter(c)) {
      ahead_.kind = Token::Kind::name;
      while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
      ahead_.text = text_.substr(ahead_.begin, at_ - ahead_.begin);
    } else {
      symbol();
    }
    ahead_.end = at_;
  }

  void number() {
    ahead_.kind = Token::Kind::number;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), ahead_.number);
    if (error != std::errc()) throw ExpressionError{at_, "is too large a number", {}};
    at_ = static_cast<std::size_t>(end - text_.data());
  }

  void quoted(char quote) {
    ahead_.kind = Token::Kind::text;
    const std::size_t close = text_.find(quote, at_ + 1);
    if (close == std::string_view::npos) throw ExpressionError{at_, "a string begins here but does not end", {}};
    ahead_.text = text_.substr(at_ + 1, close - at_ - 1);
    at_ = close + 1;
  }

  void symbol() {
    ahead_.kind = Token::Kind::symbol;
    const std::string_view two = text_.substr(at_, 2);
    std::size_t length = 1;
    for (const std::string_view known : {"<=", ">=", "==", "!="}) {
      if (two == known) length = 2;
    }
    ahead_.text = text_.substr(at_, length);
    constexpr std::string_view kKnown = "<>=!+-*/()[],:%";
    if (kKnown.find(ahead_.text[0]) == std::string_view::npos || ahead_.text == "=!" || ahead_.text == "!") {
      throw ExpressionError{at_, fmt::format("\"{}\" is not valid here", ahead_.text), {}};
    }
    at_ += length;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t last_end_ = 0;
  Token ahead_;
};

/// Recursive descent, with one function per level of precedence.
class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) {}

  ExpressionPointer parse() {
    ExpressionPointer whole = condition();
    if (lexer_.ahead().kind != Token::Kind::end) {
      throw ExpressionError{
          lexer_.ahead().begin, fmt::format("{} is unexpected, expected an operator or the end", ahead_text()), {}};
    }
    return whole;
  }

 private:
  // Deep nesting is refused to prevent a stack overflow.
  static constexpr int kDeepest = 100;
  struct Descent {
    explicit Descent(Parser& of) : parser(of) {
      if (++of.depth_ > kDeepest) throw ExpressionError{of.lexer_.ahead().begin, "is nested too deeply", {}};
    }
    ~Descent() { --parser.depth_; }
    Descent(const Descent&) = delete;
    Descent& operator=(const Descent&) = delete;
    Parser& parser;
  };

  [[nodiscard]] std::string ahead_text() const {
    const Token& token = lexer_.ahead();
    switch (token.kind) {
      case Token::Kind::end:
        return "the end";
      case Token::Kind::number:
        return "a number";
      case Token::Kind::text:
        return fmt::format("the string \"{}\"", token.text);
      default:
        return fmt::format("\"{}\"", token.text);
    }
  }
  [[nodiscard]] bool at(std::string_view text) const {
    const Token& token = lexer_.ahead();
    return (token.kind == Token::Kind::symbol || token.kind == Token::Kind::name) && token.text == text;
  }
  bool take(std::string_view text) {
    if (!at(text)) return false;
    lexer_.take();
    return true;
  }
  void expect(std::string_view text) {
    if (take(text)) return;
    throw ExpressionError{lexer_.ahead().begin, fmt::format("found {}, expected \"{}\"", ahead_text(), text), {}};
  }

  std::unique_ptr<Expression> node(Kind kind, std::size_t begin) {
    auto out = std::make_unique<Expression>();
    out->kind = kind;
    out->begin = begin;
    return out;
  }
  ExpressionPointer done(std::unique_ptr<Expression> expression) {
    expression->end = lexer_.last_end();
    return expression;
  }

  ExpressionPointer condition() {
    const Descent descent(*this);
    if (!at("for")) return either();
    const std::size_t begin = lexer_.take().begin;
    const bool all = at("all");
    if (!all && !at("some")) {
      throw ExpressionError{
          lexer_.ahead().begin, fmt::format("found {}, expected \"all\" or \"some\"", ahead_text()), {}};
    }
    lexer_.take();
    auto out = node(all ? Kind::for_all : Kind::for_some, begin);
    bindings(*out);
    ExpressionPointer where = optional_where();
    expect(":");
    out->children.push_back(condition());
    if (where) out->children.push_back(std::move(where));
    return done(std::move(out));
  }

  void bindings(Expression& out) {
    do {
      Binding binding;
      binding.offset = lexer_.ahead().begin;
      if (lexer_.ahead().kind != Token::Kind::name) {
        throw ExpressionError{binding.offset, fmt::format("found {}, expected a name", ahead_text()), {}};
      }
      binding.name = lexer_.take().text;
      if (take("in")) binding.list = sum();
      out.bindings.push_back(std::move(binding));
    } while (take(","));
  }

  ExpressionPointer optional_where() { return take("where") ? either() : nullptr; }

  ExpressionPointer binary(Kind kind, std::string_view word, ExpressionPointer (Parser::*part)()) {
    ExpressionPointer left = (this->*part)();
    while (take(word)) {
      auto out = node(kind, left->begin);
      out->children.push_back(std::move(left));
      out->children.push_back((this->*part)());
      left = done(std::move(out));
    }
    return left;
  }
  ExpressionPointer either() { return binary(Kind::either, "or", &Parser::both); }
  ExpressionPointer both() { return binary(Kind::both, "and", &Parser::negation); }

  ExpressionPointer negation() {
    if (!at("not")) return comparison();
    const Descent descent(*this);
    auto out = node(Kind::negation, lexer_.take().begin);
    out->children.push_back(negation());
    return done(std::move(out));
  }

  ExpressionPointer comparison() {
    ExpressionPointer first = sum();
    static constexpr std::array kOperators = {"<=", ">=", "==", "!=", "<", ">"};
    std::unique_ptr<Expression> out;
    for (bool found = true; found;) {
      found = false;
      for (const char* symbol : kOperators) {
        if (!take(symbol)) continue;
        if (!out) {
          out = node(Kind::comparison, first->begin);
          out->children.push_back(std::move(first));
        }
        out->operators.emplace_back(symbol);
        out->children.push_back(sum());
        found = true;
        break;
      }
    }
    return out ? done(std::move(out)) : std::move(first);
  }

  ExpressionPointer arithmetic(std::initializer_list<const char*> symbols, ExpressionPointer (Parser::*part)()) {
    ExpressionPointer left = (this->*part)();
    for (bool found = true; found;) {
      found = false;
      for (const char* symbol : symbols) {
        if (!take(symbol)) continue;
        auto out = node(Kind::arithmetic, left->begin);
        out->operators.emplace_back(symbol);
        out->children.push_back(std::move(left));
        out->children.push_back((this->*part)());
        left = done(std::move(out));
        found = true;
        break;
      }
    }
    return left;
  }
  ExpressionPointer sum() { return arithmetic({"+", "-"}, &Parser::product); }
  ExpressionPointer product() { return arithmetic({"*", "/"}, &Parser::signed_value); }

  ExpressionPointer signed_value() {
    if (!at("-")) return primary();
    const Descent descent(*this);
    auto out = node(Kind::minus, lexer_.take().begin);
    out->children.push_back(signed_value());
    return done(std::move(out));
  }

  ExpressionPointer primary() {
    const Descent descent(*this);
    const Token::Kind kind = lexer_.ahead().kind;
    const std::size_t begin = lexer_.ahead().begin;
    if (kind == Token::Kind::number) return number();
    if (kind == Token::Kind::text) {
      auto out = node(Kind::literal, begin);
      out->literal = Figure::text(lexer_.take().text);
      return done(std::move(out));
    }
    if (take("(")) {
      ExpressionPointer inner = condition();
      expect(")");
      return inner;
    }
    if (at("[")) return list();
    if (kind == Token::Kind::name && !reserved(lexer_.ahead().text)) return name_or_call();
    throw ExpressionError{begin, fmt::format("found {}, expected a value", ahead_text()), {}};
  }

  static bool reserved(std::string_view word) {
    for (const std::string_view known : {"for", "all", "some", "in", "where", "and", "or", "not"}) {
      if (word == known) return true;
    }
    return false;
  }

  ExpressionPointer number() {
    auto out = node(Kind::literal, lexer_.ahead().begin);
    const Token token = lexer_.take();
    out->literal = Figure::number(token.number);
    if (const Unit* unit = lexer_.take_unit()) {
      // 70 % must be the double nearest to 0.7, like 0.7.
      const double value = unit->factor < 1 ? token.number / (1 / unit->factor) : token.number * unit->factor;
      out->literal = Figure::number(value, unit->dimension);
    } else if (lexer_.ahead().kind == Token::Kind::name && !reserved(lexer_.ahead().text)) {
      throw ExpressionError{
          lexer_.ahead().begin,
          fmt::format("{} is not a unit, expected one such as \"KB\", \"us\", \"Gbit/s\" or \"%\"", ahead_text()),
          {}};
    }
    return done(std::move(out));
  }

  ExpressionPointer list() {
    auto out = node(Kind::list, lexer_.take().begin);
    if (take("]")) return done(std::move(out));
    out->children.push_back(condition());
    if (take("for")) {
      out->kind = Kind::comprehension;
      bindings(*out);
      if (ExpressionPointer where = optional_where()) out->children.push_back(std::move(where));
    } else {
      while (take(",")) out->children.push_back(condition());
    }
    expect("]");
    return done(std::move(out));
  }

  ExpressionPointer name_or_call() {
    auto out = node(Kind::name, lexer_.ahead().begin);
    out->name = lexer_.take().text;
    if (!take("(")) return done(std::move(out));
    out->kind = Kind::call;
    if (take(")")) return done(std::move(out));
    do {
      argument(*out);
    } while (take(","));
    expect(")");
    return done(std::move(out));
  }

  void argument(Expression& call) {
    const std::size_t begin = lexer_.ahead().begin;
    ExpressionPointer value = condition();
    std::string name;
    if (at("=") && value->kind == Kind::name) {
      lexer_.take();
      name = value->name;
      for (const std::string& other : call.argument_names) {
        if (other == name) throw ExpressionError{begin, fmt::format("{} is given twice", name), {}};
      }
      value = condition();
    }
    call.argument_names.push_back(std::move(name));
    call.argument_offsets.push_back(begin);
    call.children.push_back(std::move(value));
  }

  Lexer lexer_;
  int depth_ = 0;
};

}  // namespace

std::variant<ExpressionPointer, ExpressionError> parse_expression(std::string_view text) {
  try {
    return Parser(text).parse();
  } catch (const ExpressionError& error) {
    return error;
  }
}

}  // namespace weir
