// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "zeroth/engine/engine.hpp"

namespace zeroth {

// Queries and answers as bytes, for ranks of one program: same build, same byte order.
class Packer {
 public:
  template <class T>
  Packer& put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* from = reinterpret_cast<const char*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof value);
    return *this;
  }
  template <class T>
  Packer& put_list(const T* data, std::size_t count) {
    put(count);
    const auto* from = reinterpret_cast<const char*>(data);
    bytes_.insert(bytes_.end(), from, from + count * sizeof(T));
    return *this;
  }
  const std::vector<char>& bytes() const { return bytes_; }
  std::vector<char> take() { return std::move(bytes_); }

 private:
  std::vector<char> bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(const std::vector<char>& bytes) : bytes_(bytes) {}
  template <class T>
  T take() {
    T value;
    read(&value, sizeof value);
    return value;
  }
  template <class T>
  T take_list() {
    T list;
    list.resize(take<std::size_t>());
    read(list.data(), list.size() * sizeof(typename T::value_type));
    return list;
  }
  // A list of as many bytes as the caller has room for.
  void take_into(void* to, std::size_t size) {
    if (take<std::size_t>() != size) throw std::logic_error("a message between ranks has another length than expected");
    read(to, size);
  }

 private:
  void read(void* to, std::size_t count) {
    if (count > bytes_.size() - at_) throw std::logic_error("a message between ranks is shorter than it says");
    if (count > 0) std::memcpy(to, bytes_.data() + at_, count);
    at_ += count;
  }
  const std::vector<char>& bytes_;
  std::size_t at_ = 0;
};

// The point follows: as it is, or as a description (replicas.hpp).
inline void pack_query(std::uint64_t position, const Query& query, Packer& p) {
  p.put(position).put(query.noise).put_list(query.wanted.data(), query.wanted.size());
  p.put(static_cast<std::uint8_t>(query.described != nullptr));
}

inline std::vector<char> pack_answer(std::uint64_t position, const Answer& answer, const Circumstances& how) {
  Packer p;
  p.put(position).put_list(answer.values.data(), answer.values.size());
  p.put_list(answer.failure.data(), answer.failure.size());
  p.put_list(answer.se.data(), answer.se.size());
  p.put(how.seconds).put(how.attempts).put(how.exit_code).put(how.signal);
  p.put_list(how.error_output.data(), how.error_output.size());
  return p.bytes();
}

}  // namespace zeroth
