// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

// The parts of the report page as they were when the program was built (cmake/embed_page.cmake).
namespace zeroth::page_assets {

std::string_view page_html();
std::string_view page_css();
std::string_view charts_js();
std::string_view answer_js();
std::string_view convergence_js();
std::string_view constraints_js();
std::string_view model_js();
std::string_view variables_js();
std::string_view comparison_js();
std::string_view page_js();
std::string_view uplot_js();
std::string_view uplot_css();
std::string_view uplot_license();

}  // namespace zeroth::page_assets
