# The report page's template, script, style and plotting library become part of the library, so that an installed program
# writes pages that open offline. What comes from elsewhere must be the published bytes.
function(embed_file name path)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(READ ${path} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
  set(page_parts "${page_parts}constexpr unsigned char ${name}_bytes[] = {\n${bytes}};\n" PARENT_SCOPE)
  set(page_functions "${page_functions}std::string_view ${name}() { return text(${name}_bytes); }\n" PARENT_SCOPE)
endfunction()

set(uplot_folder ${PROJECT_SOURCE_DIR}/third_party/uplot)
file(STRINGS ${uplot_folder}/SHA256SUMS uplot_sums)
foreach(line ${uplot_sums})
  string(REGEX MATCH "^([0-9a-f]+)  (.+)$" matched "${line}")
  set(uplot_file ${uplot_folder}/${CMAKE_MATCH_2})
  set(expected ${CMAKE_MATCH_1})
  file(SHA256 ${uplot_file} found)
  if(NOT found STREQUAL expected)
    message(FATAL_ERROR "${uplot_file} is not the published file: sha256 ${found}, expected ${expected}; see scripts/vendor-uplot")
  endif()
endforeach()

embed_file(page_html ${PROJECT_SOURCE_DIR}/src/zeroth/report/page/page.html)
embed_file(page_css ${PROJECT_SOURCE_DIR}/src/zeroth/report/page/page.css)
foreach(part charts answer convergence constraints variables comparison page)
  embed_file(${part}_js ${PROJECT_SOURCE_DIR}/src/zeroth/report/page/${part}.js)
endforeach()
embed_file(uplot_js ${uplot_folder}/uPlot.iife.min.js)
embed_file(uplot_css ${uplot_folder}/uPlot.min.css)
embed_file(uplot_license ${uplot_folder}/LICENSE)

list(APPEND embedded_data_sources ${PROJECT_BINARY_DIR}/embedded/report_page.cpp)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/embedded/report_page.cpp @ONLY CONTENT [[
// Written by cmake/embed_page.cmake from src/zeroth/report/page and third_party/uplot.
#include "zeroth/report/page/assets.hpp"

namespace zeroth::page_assets {
namespace {
template <std::size_t size>
std::string_view text(const unsigned char (&bytes)[size]) {
  return {reinterpret_cast<const char*>(bytes), size};
}
@page_parts@
}  // namespace

@page_functions@
}  // namespace zeroth::page_assets
]])
