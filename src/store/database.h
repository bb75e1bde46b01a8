// SPDX-License-Identifier: Apache-2.0
// SQLite with exceptions for errors, and handles that close themselves.
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "results/statistics.h"

namespace weir {

/// An open database file. Errors are thrown as StoreError: the file's path and the reason.
class Database {
 public:
  enum class Mode : std::uint8_t { create, write, read };
  /// `create` creates the file if it does not exist. `read` does not require permission to write, but uses it to roll
  /// back what a killed writer left incomplete.
  Database(const std::filesystem::path& path, Mode mode);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }
  /// Executes statements without result rows.
  void execute(const std::string& sql) const;
  /// The single number that a query returns.
  [[nodiscard]] std::int64_t number(const std::string& sql) const;
  /// Throws StoreError with the message of SQLite, or of the system, about the last call.
  [[noreturn]] void fail() const;
  /// Throws StoreError: the path and `what`.
  [[noreturn]] void fail(std::string_view what) const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const { (void)sqlite3_close_v2(handle); }
  };
  std::filesystem::path path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

/// A prepared statement, which can be executed repeatedly. The database must outlive it.
class Statement {
 public:
  Statement(const Database& database, std::string_view sql);

  /// Binds the parameters, starting with the first, and executes a statement without result rows. Text and bytes must
  /// live until it returns.
  template <class... Values>
  void run(const Values&... values) {
    start(values...);
    while (next()) {
    }
  }
  /// Binds the parameters for next().
  template <class... Values>
  void start(const Values&... values) {
    (void)sqlite3_reset(handle_.get());
    int index = 0;
    (bind_next(index, values), ...);
  }
  /// Advances to the next row. Returns false if there is none.
  bool next();

  /// Columns of the row, from 0.
  [[nodiscard]] std::int64_t integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }
  [[nodiscard]] std::uint64_t count(int column) const { return static_cast<std::uint64_t>(integer(column)); }
  [[nodiscard]] double real(int column) const { return sqlite3_column_double(handle_.get(), column); }
  [[nodiscard]] bool null(int column) const { return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL; }
  /// A value of any type; empty for NULL and for bytes.
  [[nodiscard]] StatisticValue value(int column) const;
  /// Valid until next() or start().
  [[nodiscard]] std::string_view text(int column) const;
  [[nodiscard]] std::span<const std::byte> bytes(int column) const;

 private:
  struct Finalise {
    void operator()(sqlite3_stmt* handle) const { (void)sqlite3_finalize(handle); }
  };
  template <class Value>
  void bind_next(int& index, const Value& value) {
    bind(++index, value);
  }
  /// Binds several parameters.
  template <std::size_t count>
  void bind_next(int& index, const std::array<std::int64_t, count>& values) {
    for (const std::int64_t value : values) bind(++index, value);
  }
  /// Binds several parameters of any types.
  void bind_next(int& index, std::span<const StatisticValue> values) {
    for (const StatisticValue& value : values) std::visit([&](const auto& is) { bind(++index, is); }, value);
  }
  void bind(int index, std::monostate) { bind(index, nullptr); }
  void bind(int index, std::int64_t value);
  void bind(int index, std::uint64_t value) { bind(index, static_cast<std::int64_t>(value)); }
  void bind(int index, std::uint32_t value) { bind(index, std::int64_t{value}); }
  void bind(int index, int value) { bind(index, std::int64_t{value}); }
  void bind(int index, bool value) { bind(index, std::int64_t{value}); }
  void bind(int index, double value);
  void bind(int index, std::string_view value);
  void bind(int index, const std::string& value) { bind(index, std::string_view(value)); }
  void bind(int index, const char* value) { bind(index, std::string_view(value)); }
  void bind(int index, std::span<const std::byte> value);
  void bind(int index, std::nullptr_t);
  template <class Value>
  void bind(int index, const std::optional<Value>& value) {
    if (value) {
      bind(index, *value);
    } else {
      bind(index, nullptr);
    }
  }
  void check(int status) const {
    if (status != SQLITE_OK) database_->fail();
  }

  const Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalise> handle_;
};

/// Writes are rolled back unless committed; reads see the state of one instant.
class Transaction {
 public:
  enum class Kind : std::uint8_t { write, read };
  explicit Transaction(const Database& database, Kind kind = Kind::write);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  const Database& database_;
  bool open_ = true;
};

}  // namespace weir
