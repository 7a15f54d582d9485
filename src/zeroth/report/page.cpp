// SPDX-License-Identifier: MIT
#include "zeroth/report/page.hpp"

#include <string_view>

#include "zeroth/report/page/assets.hpp"

namespace zeroth {
namespace {

std::string escaped_html(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else out += c;
  }
  return out;
}

// Inside a script element only "<" can end it or begin a comment, and JSON has another way to write it.
std::string escaped_json(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') out += "\\u003c";
    else out += c;
  }
  return out;
}

}  // namespace

std::string page(const std::string& title, const std::string& data) {
  using namespace page_assets;
  std::string script;
  for (const std::string_view part : {charts_js(), answer_js(), convergence_js(), constraints_js(), model_js(),
                                      variables_js(), comparison_js(), page_js()})
    script += part;
  const std::string library = "/*! uPlot 1.6\n" + std::string(uplot_license()) + "\n*/\n" + std::string(uplot_js());
  const std::string_view source = page_html();
  std::string out;
  // One pass, so that nothing that is filled in can be taken for a mark of the template.
  for (std::size_t at = 0; at < source.size();) {
    const std::size_t mark = source.find("{{", at);
    out += source.substr(at, mark == std::string_view::npos ? mark : mark - at);
    if (mark == std::string_view::npos) break;
    const std::size_t end = source.find("}}", mark);
    const std::string_view name = source.substr(mark + 2, end - mark - 2);
    if (name == "title") out += escaped_html(title);
    else if (name == "style") out += std::string(uplot_css()) + std::string(page_css());
    else if (name == "library") out += library;
    else if (name == "data") out += escaped_json(data);
    else if (name == "script") out += script;
    at = end + 2;
  }
  return out;
}

}  // namespace zeroth
