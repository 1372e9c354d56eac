// SPDX-License-Identifier: Apache-2.0
#include "rookery/store/environment.h"

#include <utility>

#include "engine.h"
#include "transactions.h"

namespace rookery::store {

ReadTxn::ReadTxn(std::unique_ptr<Rep> rep) : rep_(std::move(rep)) {}

ReadTxn::ReadTxn(ReadTxn&& other) noexcept : rep_(std::move(other.rep_)) {}

ReadTxn& ReadTxn::operator=(ReadTxn&& other) noexcept {
  rep_ = std::move(other.rep_);
  return *this;
}

ReadTxn::~ReadTxn() = default;

TxnId ReadTxn::id() const noexcept {
  return TxnId(rep_->state().meta.txn);
}

Result<PageView> ReadTxn::page(PageNo number) {
  return rep_->page(number);
}

Result<void> ReadTxn::check_health() const {
  if (rep_->state().map->faulted()) {
    return Error(ErrorCode::io, "reading the data file failed while this snapshot was open");
  }
  return {};
}

Result<Tree> ReadTxn::tree(std::string_view name) {
  RK_TRY_ASSIGN(const TreeRoot* root, rep_->catalog().find_tree(name));
  return Tree(*rep_, *root);
}

Result<FixedTree> ReadTxn::fixed_tree(std::string_view name, std::uint16_t value_size) {
  RK_TRY_ASSIGN(const TreeRoot* root, rep_->catalog().find_fixed_tree(name, value_size));
  return FixedTree(*rep_, *root);
}

Result<Table> ReadTxn::table(const TableSchema& schema) {
  RK_TRY_ASSIGN(const TableState* state, rep_->catalog().find_table(schema));
  return Table(*rep_, schema, state);
}

WriteTxn::WriteTxn(std::unique_ptr<Rep> rep) : rep_(std::move(rep)) {}

WriteTxn::WriteTxn(WriteTxn&& other) noexcept : rep_(std::move(other.rep_)) {}

WriteTxn& WriteTxn::operator=(WriteTxn&& other) noexcept {
  rep_ = std::move(other.rep_);
  return *this;
}

WriteTxn::~WriteTxn() = default;

TxnId WriteTxn::id() const noexcept {
  return rep_->context().id();
}

Result<PageView> WriteTxn::page(PageNo number) {
  return rep_->context().page(number);
}

Result<MutablePage> WriteTxn::modify(PageNo number) {
  return rep_->context().modify(number);
}

Result<MutablePage> WriteTxn::allocate(const AllocateOptions& options) {
  return rep_->context().allocate(options);
}

Result<void> WriteTxn::free(PageNo number) {
  return rep_->context().free(number);
}

Result<MutableTree> WriteTxn::tree(std::string_view name) {
  WriteContext& context = rep_->context();
  RK_TRY_ASSIGN(TreeRoot * root, context.catalog().open_tree(name, context.next_owner()));
  return MutableTree(context, *root);
}

Result<MutableFixedTree> WriteTxn::fixed_tree(std::string_view name, std::uint16_t value_size) {
  WriteContext& context = rep_->context();
  RK_TRY_ASSIGN(TreeRoot * root,
                context.catalog().open_fixed_tree(name, value_size, context.next_owner()));
  return MutableFixedTree(context, *root);
}

Result<MutableTable> WriteTxn::table(const TableSchema& schema) {
  WriteContext& context = rep_->context();
  RK_TRY_ASSIGN(TableState * state, context.catalog().open_table(schema, context.next_owner()));
  return MutableTable(context, schema, *state);
}

std::uint64_t WriteTxn::dirty_bytes() const noexcept {
  return rep_->context().dirty_bytes();
}

void WriteTxn::allow_reserve() noexcept {
  rep_->allow_reserve();
}

Result<TxnId> WriteTxn::commit() {
  return rep_->commit();
}

Result<TxnId> WriteTxn::commit_async(std::function<void(const CommitOutcome&)> done) {
  return rep_->commit_async(std::move(done));
}

void WriteTxn::rollback() {
  rep_->roll_back();
}

Environment::Environment(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}

Environment::~Environment() {
  static_cast<void>(engine_->close(Engine::Flush::kEverything));
}

Result<std::unique_ptr<Environment>> Environment::open(os::Platform& platform,
                                                       EnvironmentOptions options) {
  RK_TRY_ASSIGN(auto engine, Engine::open(platform, std::move(options)));
  return std::unique_ptr<Environment>(new Environment(std::move(engine)));
}

Result<void> Environment::create(os::Platform& platform, const EnvironmentOptions& options) {
  return Engine::create(platform, options);
}

Result<ReadTxn> Environment::begin_read() {
  return engine_->begin_read();
}

Result<WriteTxn> Environment::begin_write() {
  return engine_->begin_write();
}

void Environment::write_journal() {
  engine_->write_journal();
}

bool Environment::has_pending_commits() const noexcept {
  return engine_->has_pending_commits();
}

Result<bool> Environment::maintain() {
  return engine_->maintain();
}

std::optional<os::Duration> Environment::maintenance_due_in() const {
  return engine_->maintenance_due_in();
}

Result<void> Environment::sync_all() {
  return engine_->sync_all();
}

Result<VerifyReport> Environment::verify(std::span<const TableSchema* const> schemas) {
  return engine_->verify(schemas);
}

EnvironmentStats Environment::stats() const {
  return engine_->stats();
}

const std::string& Environment::path() const noexcept {
  return engine_->path();
}

Result<void> Environment::close() {
  return engine_->close(Engine::Flush::kEverything);
}

Result<void> Environment::close_unflushed() {
  return engine_->close(Engine::Flush::kNothing);
}

}  // namespace rookery::store
