// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "call.h"

// Purpose. One function a route, named after what it answers; the table is in routes.cc.

namespace rookery::api {

// --- page_handlers.cc
Result<Response> get_page(Call& call);

// --- server_handlers.cc
Result<Response> get_build_version(Call& call);
Result<Response> get_topology(Call& call);
Result<Response> get_cluster_topology(Call& call);
Result<Response> get_node_info(Call& call);
Result<Response> get_tcp_info(Call& call);
Result<Response> get_health(Call& call);
Result<Response> get_client_configuration(Call& call);
Result<Response> get_logs_configuration(Call& call);
Result<Response> post_logs_configuration(Call& call);
void delay_answer(const CallPtr& call);

// --- database_handlers.cc
Result<Response> get_databases(Call& call);
Result<Response> get_database_record(Call& call);
Result<Response> get_own_record(Call& call);
Result<Response> put_database(Call& call);
Result<Response> delete_databases(Call& call);
Result<Response> enable_databases(Call& call);
Result<Response> disable_databases(Call& call);
Result<Response> set_databases_lock(Call& call);
Result<Response> add_database_node(Call& call);
Result<Response> promote_database_node(Call& call);
Result<Response> reorder_database_members(Call& call);
Result<Response> put_settings(Call& call);

// --- document_handlers.cc
Result<Response> get_documents(Call& call);
Result<Response> post_documents(Call& call);
Result<Response> head_document(Call& call);

// --- write_handlers.cc
void put_document(const CallPtr& call);
void delete_document(const CallPtr& call);
void hilo_next(const CallPtr& call);
void hilo_return(const CallPtr& call);
void identity_next(const CallPtr& call);
void identity_seed(const CallPtr& call);

// --- bulk_handlers.cc
void bulk_documents(const CallPtr& call);

// --- bulk_insert.cc
void bulk_insert(const CallPtr& call);

// --- document_stream.cc
Result<Response> stream_documents(Call& call);

// --- operation_handlers.cc
Result<Response> get_next_operation_id(Call& call);
Result<Response> get_operation_state(Call& call);
Result<Response> kill_operation(Call& call);

// --- multi_get_handlers.cc
void multi_get(const CallPtr& call);

// --- query_handlers.cc
void query_documents(const CallPtr& call);

// --- statistics_handlers.cc
Result<Response> get_statistics(Call& call);
Result<Response> get_detailed_statistics(Call& call);
Result<Response> get_collection_statistics(Call& call);
Result<Response> get_detailed_collection_statistics(Call& call);
Result<Response> get_identities(Call& call);
Result<Response> get_health_check(Call& call);

// --- index_handlers.cc
Result<Response> get_indexes(Call& call);
Result<Response> get_index_statistics(Call& call);
Result<Response> get_indexing_status(Call& call);
Result<Response> get_index_errors(Call& call);
Result<Response> delete_index_errors(Call& call);
Result<Response> get_index_terms(Call& call);
Result<Response> set_index_lock(Call& call);
Result<Response> set_index_priority(Call& call);
Result<Response> delete_index(Call& call);
Result<Response> reset_index(Call& call);
Result<Response> start_indexing(Call& call);
Result<Response> stop_indexing(Call& call);
Result<Response> enable_index(Call& call);
Result<Response> disable_index(Call& call);
Result<Response> put_indexes(Call& call);
Result<Response> has_index_changed(Call& call);

}  // namespace rookery::api
