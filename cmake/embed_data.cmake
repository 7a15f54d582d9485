# Data of builtin problems becomes part of the library, so that an installed program needs no path to it.
set(german_file ${PROJECT_SOURCE_DIR}/data/german/german.data-numeric)
set(german_sha256 2752b044394958ab6dd193a0b56ca0f0b3a2d8bc7cb8c008e35a5e84bbec02f8)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${german_file})
file(SHA256 ${german_file} german_found)
if(NOT german_found STREQUAL german_sha256)
  message(FATAL_ERROR "${german_file} is not the published file: sha256 ${german_found}, expected ${german_sha256}")
endif()
file(READ ${german_file} german_numbers)
string(STRIP "${german_numbers}" german_numbers)
string(REGEX REPLACE "[ \t\r\n]+" "," german_numbers "${german_numbers}")
string(REGEX REPLACE "(([0-9]+,){25})" "\\1\n" german_numbers "${german_numbers}")
set(embedded_data_sources ${PROJECT_BINARY_DIR}/embedded/german_credit.cpp)
file(CONFIGURE OUTPUT ${embedded_data_sources} @ONLY CONTENT [[
// Written by cmake/embed_data.cmake from data/german/german.data-numeric.
#include "zeroth/apps/german_credit.hpp"

namespace zeroth {
namespace {
constexpr std::uint8_t numbers[] = {
@german_numbers@};
}  // namespace

std::span<const std::uint8_t> german_credit_numbers() { return numbers; }

}  // namespace zeroth
]])
