// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <ostream>
#include <string>
#include <string_view>

#include "rookery/base/result.h"

#include "operation.h"

// Purpose. Histories as text: one JSON object a line, lines that begin with '#' are comments.
//
//   {"client":1,"kind":"write","from":10,"to":20,"outcome":"ok","commands":[
//      {"put":"a/1","value":"1.0","match":"red","expects":"A:3-x","version":"A:4-x"},
//      {"delete":"a/2","version":"A:5-x"},{"delete":"a/3","nothing":true}]}
//   {"client":2,"kind":"load","from":21,"to":22,"found":[["a/1","1.0","A:4-x"]],"missing":["a/2"]}
//   {"client":2,"kind":"prefix","name":"a/","from":..,"to":..,"found":[...]}
//   {"client":2,"kind":"query","name":"red","waits":true,"stale":false,"from":..,"found":[...]}
//   {"client":3,"kind":"identity","name":"users|","from":..,"to":..,"low":7}
//   {"client":3,"kind":"hilo","name":"users","from":..,"to":..,"low":1,"high":32}
//   {"kind":"crash","from":..,"to":..}
//
// What is left out has its default: outcome ok, nothing expected, false, 0. `expects` "" asks that
// the document isn't there. Each put of a file has a value of its own.
// Errors: malformed, with the line's number.

namespace rookery::history {

// Requires: `line` is not a comment and not empty.
[[nodiscard]] Result<Operation> parse_line(std::string_view line, Names& names);
// Without a line end.
[[nodiscard]] std::string to_line(const Operation& operation, const Names& names);

[[nodiscard]] Result<void> read_history(std::istream& in, History& into);
void write_history(const History& history, std::ostream& out);

}  // namespace rookery::history
