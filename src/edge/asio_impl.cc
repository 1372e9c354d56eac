// SPDX-License-Identifier: Apache-2.0
// The bodies of Asio and Beast, compiled once: every other file sees declarations only, which
// halves its compile time.
#include <boost/asio/impl/src.hpp>
#include <boost/beast/src.hpp>
