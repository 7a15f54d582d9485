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

# Shared by all presets, so that it is fetched once.
set(uplot_folder ${PROJECT_SOURCE_DIR}/build/uplot)
if(ZEROTH_BUNDLED)
  set(uplot_folder ${third_party}/uplot)
endif()
set(ZEROTH_UPLOT "" CACHE FILEPATH "uPlot's npm package, if it was fetched before; empty: npm fetches it")
execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/vendor-uplot ${uplot_folder} ${ZEROTH_UPLOT}
  RESULT_VARIABLE uplot_result ERROR_VARIABLE uplot_error)
if(NOT uplot_result EQUAL 0)
  message(FATAL_ERROR "The report page needs uPlot. ${uplot_error}")
endif()

embed_file(page_html ${PROJECT_SOURCE_DIR}/src/zeroth/report/page/page.html)
embed_file(page_css ${PROJECT_SOURCE_DIR}/src/zeroth/report/page/page.css)
foreach(part charts answer convergence constraints model variables comparison page)
  embed_file(${part}_js ${PROJECT_SOURCE_DIR}/src/zeroth/report/page/${part}.js)
endforeach()
embed_file(uplot_js ${uplot_folder}/uPlot.iife.min.js)
embed_file(uplot_css ${uplot_folder}/uPlot.min.css)
embed_file(uplot_license ${uplot_folder}/LICENSE)

set(embedded_page_sources ${PROJECT_BINARY_DIR}/embedded/report_page.cpp)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/embedded/report_page.cpp @ONLY CONTENT [[
// Written by cmake/embed_page.cmake from src/zeroth/report/page and uPlot.
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
