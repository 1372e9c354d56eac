// SPDX-License-Identifier: Apache-2.0
// The limit that BENCH B1r measures against: Boost.Beast's request parser, nothing done, and an
// answer of the size that a document has. One io_context and one listening socket a thread.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <sys/socket.h>

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kGetBodyBytes = 900;

std::string answer(const char* status, const std::string& body) {
  return "HTTP/1.1 " + std::string(status) +
         "\r\nRaven-Server-Version: 5.4.113\r\nContent-Type: application/json; charset=utf-8\r\n"
         "Content-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

struct Answers {
  std::string get = answer("200 OK", "{\"x\":\"" + std::string(kGetBodyBytes - 8, 'x') + "\"}");
  std::string put =
      answer("201 Created", R"({"Id":"orders/1","ChangeVector":"A:1-AAAAAAAAAAAAAAAAAAAAAA"})");
};

asio::awaitable<void> serve(tcp::socket socket, const Answers& answers) {
  boost::beast::flat_buffer buffer;
  for (;;) {
    http::request_parser<http::string_body> parser;
    const auto [error, size] = co_await http::async_read(socket, buffer, parser, kAwait);
    if (error) {
      co_return;
    }
    const bool get = parser.get().method() == http::verb::get;
    const std::string& text = get ? answers.get : answers.put;
    const auto [write_error, written] =
        co_await asio::async_write(socket, asio::buffer(text), kAwait);
    if (write_error) {
      co_return;
    }
  }
}

asio::awaitable<void> accept_all(tcp::acceptor& acceptor, const Answers& answers) {
  for (;;) {
    auto [error, socket] = co_await acceptor.async_accept(kAwait);
    if (error) {
      co_return;
    }
    socket.set_option(tcp::no_delay(true));
    asio::co_spawn(acceptor.get_executor(), serve(std::move(socket), answers), asio::detached);
  }
}

void listen_at(tcp::acceptor& acceptor, unsigned short port) {
  acceptor.open(tcp::v4());
  const int on = 1;
  if (setsockopt(acceptor.native_handle(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) != 0) {
    std::perror("SO_REUSEPORT");
    std::exit(1);
  }
  acceptor.bind(tcp::endpoint(asio::ip::address_v4::loopback(), port));
  acceptor.listen();
}

void run(unsigned thread_count) {
  const Answers answers;
  std::vector<std::unique_ptr<asio::io_context>> contexts;
  std::vector<std::unique_ptr<tcp::acceptor>> acceptors;
  unsigned short port = 0;
  for (unsigned i = 0; i < thread_count; ++i) {
    contexts.push_back(std::make_unique<asio::io_context>(1));
    acceptors.push_back(std::make_unique<tcp::acceptor>(*contexts.back()));
    listen_at(*acceptors.back(), port);
    port = acceptors.back()->local_endpoint().port();
    asio::co_spawn(*contexts.back(), accept_all(*acceptors.back(), answers), asio::detached);
  }
  std::printf("Server available on: http://127.0.0.1:%u\n", static_cast<unsigned>(port));
  std::fflush(stdout);
  std::vector<std::thread> threads;
  for (auto& context : contexts) {
    threads.emplace_back([&context] { context->run(); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 2);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
