# Man page and completions are written by the tool itself, from the definitions that parse its command line.
set(generated_docs_folder ${PROJECT_BINARY_DIR}/share)
add_custom_command(
  OUTPUT ${generated_docs_folder}/zeroth.1 ${generated_docs_folder}/zeroth.bash ${generated_docs_folder}/_zeroth
         ${generated_docs_folder}/zeroth.fish
  COMMAND ${CMAKE_COMMAND} -E make_directory ${generated_docs_folder}
  COMMAND zeroth_cli manual > ${generated_docs_folder}/zeroth.1
  COMMAND zeroth_cli completion bash > ${generated_docs_folder}/zeroth.bash
  COMMAND zeroth_cli completion zsh > ${generated_docs_folder}/_zeroth
  COMMAND zeroth_cli completion fish > ${generated_docs_folder}/zeroth.fish
  DEPENDS zeroth_cli VERBATIM)
add_custom_target(zeroth_generated_docs ALL DEPENDS ${generated_docs_folder}/zeroth.1)
