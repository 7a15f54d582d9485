// SPDX-License-Identifier: MIT
#include "zeroth/problem_file/read_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "zeroth/core/error.hpp"

namespace zeroth {
namespace {

namespace fs = std::filesystem;
constexpr std::uintmax_t longest_template = 16 << 20;

// A file in the directory of an evaluation: nothing above it, nothing elsewhere.
void require_inside(const std::string& name, const std::string& key, const std::string& where) {
  const fs::path path(name);
  if (name.empty() || path.is_absolute() || name.find('\0') != std::string::npos || path.has_parent_path())
    throw Error(where,
                fmt::format("'{}' is '{}', but must be the name of a file in the evaluation's own directory, such "
                            "as \"{}\"",
                            key, name, key == "input" ? "input.txt" : "output.txt"));
}

std::string text_of(const fs::path& path, const std::string& where) {
  std::error_code failure;
  const auto size = fs::is_regular_file(path, failure) ? fs::file_size(path, failure) : 0;
  std::ifstream stream(path, std::ios::binary);
  if (failure || !stream || !fs::is_regular_file(path, failure))
    throw Error(where,
                fmt::format("'template' is '{}', which cannot be read; write a file with {{NAME}} where the value "
                            "of a variable belongs",
                            path.string()));
  if (size > longest_template) throw Error(where, fmt::format("'template' is larger than {} bytes", longest_template));
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> names_of(const ResolvedProblem& problem) {
  std::vector<std::string> names = problem.space.names();
  for (auto i = static_cast<Index>(names.size()); i < problem.space.size(); ++i) names.push_back(fmt::format("x{}", i));
  return names;
}

std::vector<std::string> outputs_of(const Section& s) {
  const DocumentEntry* entry = s.find("output");
  if (!entry) throw Error(s.where, "[files] needs 'output': the file that the program writes, or \"stdout\"");
  auto outputs =
      std::holds_alternative<std::string>(entry->value) ? std::vector{*text_at(s, "output")} : *texts_at(s, "output");
  if (outputs.empty())
    throw Error(entry->where, "'output' is empty; name the file that the program writes, or \"stdout\"");
  for (const std::string& name : outputs) require_inside(name, "output", entry->where);
  return outputs;
}

}  // namespace

std::shared_ptr<const FileExchange> read_files(const Document& document, const ResolvedProblem& problem, bool must_run,
                                               Evaluator& evaluator) {
  const Section* s = document.find("files");
  if (!s)
    throw Error(document.find("problem")->where_of("protocol"),
                "'protocol' is \"files\", which needs a section [files] with template, input, output and objective");
  refuse_unknown_keys(*s, {"template", "input", "output", "objective", "copy", "directory"});
  auto files = std::make_shared<FileExchange>();
  const fs::path beside(evaluator.directory);
  const auto input = text_at(*s, "input");
  if (!input) throw Error(s->where, "[files] needs 'input': the file that the program reads, such as \"input.txt\"");
  require_inside(*input, "input", s->where_of("input"));
  files->input = *input;
  files->outputs = outputs_of(*s);
  for (const std::string& name : texts_at(*s, "copy").value_or(std::vector<std::string>{})) {
    if (must_run && !fs::exists(beside / name))
      throw Error(s->where_of("copy"), fmt::format("'copy' names '{}', which does not exist (expected: {})", name,
                                                   (beside / name).string()));
    files->copies.push_back(fs::absolute(beside / name).string());
  }
  if (const auto directory = text_at(*s, "directory")) files->parent = fs::absolute(beside / *directory).string();

  const auto source = text_at(*s, "template");
  if (!source)
    throw Error(s->where, "[files] needs 'template': a file with {NAME} where the value of a variable belongs");
  if (must_run)
    files->input_template = InputTemplate(text_of(beside / *source, s->where_of("template")), names_of(problem),
                                          (beside / *source).string());
  files->write_values = [space = problem.space](std::span<const double> x, std::vector<std::string>& texts) {
    std::vector<double> user(x.size());
    space.to_user(x, user);
    space.write_texts(user, texts);
  };

  files->patterns.emplace_back("objective", text_at(*s, "objective").value_or("objective"), s->where_of("objective"));
  std::vector<std::string> values = problem.value_names();
  values.insert(values.end(), problem.equality_names.begin(), problem.equality_names.end());
  const Section nothing{"files.constraints", s->where, {}};
  const Section* named = document.find("files.constraints");
  if (!named) named = &nothing;
  refuse_unknown_keys(*named, values);
  for (const std::string& name : values)
    files->patterns.emplace_back(name, text_at(*named, name).value_or(name), named->where_of(name));

  for (std::string& word : evaluator.command) {
    std::error_code failure;
    if (fs::path(word).is_relative() && fs::exists(beside / word, failure) &&
        !fs::is_directory(beside / word, failure) &&
        (word.find('/') != std::string::npos || &word != &evaluator.command.front()))
      word = fs::absolute(beside / word).lexically_normal().string();
  }
  return files;
}

}  // namespace zeroth
