// SPDX-License-Identifier: Apache-2.0
#include "store/database.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "store/store.h"

namespace weir {
namespace {

constexpr int kBusyMilliseconds = 10'000;

/// The system's error underlying SQLite's, or 0.
int system_error(sqlite3* handle) {
  int error = sqlite3_system_errno(handle);
  // Unknown if the error occurred in a commit; then the file contains it.
  if (error == 0) (void)sqlite3_file_control(handle, "main", SQLITE_FCNTL_LAST_ERRNO, &error);
  return error;
}

/// The system's message is often more specific than SQLite's general one.
std::string reason_of(sqlite3* handle) {
  const int status = sqlite3_errcode(handle);
  if (status == SQLITE_FULL) return "No space left on device";
  if (status == SQLITE_NOTADB) return "not a results store (not an SQLite file)";
  if (status == SQLITE_CANTOPEN || status == SQLITE_IOERR) {
    const int error = system_error(handle);
    if (error != 0) return std::generic_category().message(error);
  }
  return sqlite3_errmsg(handle);
}

}  // namespace

Database::Database(const std::filesystem::path& path, Mode mode) : path_(path) {
  sqlite3* handle = nullptr;
  // Only one thread at a time uses a store, so SQLite's locks between threads are disabled.
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (mode == Mode::create ? SQLITE_OPEN_CREATE : 0);
  const int status = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
  handle_.reset(handle);
  if (handle == nullptr) throw StoreError(fmt::format("{}: {}", path.string(), sqlite3_errstr(status)));
  if (status != SQLITE_OK) {
    // SQLite retries read-only if it may not write, and discards the reason.
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    if (mode == Mode::create && ::access(folder.c_str(), W_OK) != 0) fail(std::generic_category().message(errno));
    fail();
  }
  (void)sqlite3_busy_timeout(handle, kBusyMilliseconds);
  if (mode != Mode::read && sqlite3_db_readonly(handle, "main") == 1) fail("cannot be written to: Permission denied");
  execute("PRAGMA foreign_keys = ON");
  if (mode == Mode::read) execute("PRAGMA query_only = ON");
}

void Database::execute(const std::string& sql) const {
  if (sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

std::int64_t Database::number(const std::string& sql) const {
  Statement statement(*this, sql);
  return statement.next() ? statement.integer(0) : 0;
}

void Database::fail() const {
  fail(reason_of(handle()));
}

void Database::fail(std::string_view what) const {
  throw StoreError(fmt::format("{}: {}", path_.string(), what));
}

Statement::Statement(const Database& database, std::string_view sql) : database_(&database) {
  sqlite3_stmt* handle = nullptr;
  check(sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()), &handle, nullptr));
  handle_.reset(handle);
}

bool Statement::next() {
  const int status = sqlite3_step(handle_.get());
  if (status == SQLITE_ROW) return true;
  if (status != SQLITE_DONE) database_->fail();
  // A statement that is not reset would keep its lock on the file.
  check(sqlite3_reset(handle_.get()));
  return false;
}

StatisticValue Statement::value(int column) const {
  switch (sqlite3_column_type(handle_.get(), column)) {
    case SQLITE_INTEGER:
      return integer(column);
    case SQLITE_FLOAT:
      return real(column);
    case SQLITE_TEXT:
      return std::string(text(column));
    default:
      return std::monostate();
  }
}

std::string_view Statement::text(int column) const {
  const void* data = sqlite3_column_blob(handle_.get(), column);
  const int size = sqlite3_column_bytes(handle_.get(), column);
  return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
}

std::span<const std::byte> Statement::bytes(int column) const {
  const void* data = sqlite3_column_blob(handle_.get(), column);
  const int size = sqlite3_column_bytes(handle_.get(), column);
  return {static_cast<const std::byte*>(data), static_cast<std::size_t>(size)};
}

void Statement::bind(int index, std::int64_t value) {
  check(sqlite3_bind_int64(handle_.get(), index, value));
}
void Statement::bind(int index, double value) {
  check(sqlite3_bind_double(handle_.get(), index, value));
}
void Statement::bind(int index, std::string_view value) {
  // A null pointer would bind NULL.
  check(sqlite3_bind_text64(handle_.get(), index, value.empty() ? "" : value.data(), value.size(), SQLITE_STATIC,
                            SQLITE_UTF8));
}
void Statement::bind(int index, std::span<const std::byte> value) {
  check(sqlite3_bind_blob64(handle_.get(), index, value.empty() ? "" : static_cast<const void*>(value.data()),
                            value.size(), SQLITE_STATIC));
}
void Statement::bind(int index, std::nullptr_t) {
  check(sqlite3_bind_null(handle_.get(), index));
}

Transaction::Transaction(const Database& database, Kind kind) : database_(database) {
  database_.execute(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  // After some errors SQLite has already rolled back; then nothing is left to undo.
  if (open_) (void)sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace weir
