include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS zeroth EXPORT zeroth-targets)
if(TARGET zeroth_cli)
  install(TARGETS zeroth_cli)
  install(FILES ${generated_docs_folder}/zeroth.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${generated_docs_folder}/zeroth.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME zeroth)
  install(FILES ${generated_docs_folder}/_zeroth DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${generated_docs_folder}/zeroth.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
if(TARGET zeroth_python)
  # Debian's interpreter looks for packages below /usr/local in dist-packages, others in site-packages.
  execute_process(COMMAND ${Python_EXECUTABLE} -c
    "import sysconfig; print('dist' if 'posix_local' in sysconfig.get_scheme_names() else 'site', end='')"
    OUTPUT_VARIABLE python_layout)
  set(ZEROTH_PYTHON_DIR lib/python${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}/${python_layout}-packages CACHE STRING
    "Where 'cmake --install' puts the Python package, below the prefix")
  install(TARGETS zeroth_python LIBRARY DESTINATION ${ZEROTH_PYTHON_DIR}/zeroth)
  install(FILES ${python_package} DESTINATION ${ZEROTH_PYTHON_DIR}/zeroth)
endif()
# Headers sit beside their sources; what users include needs only the standard library and Eigen.
install(DIRECTORY src/zeroth/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/zeroth FILES_MATCHING PATTERN "*.hpp"
  PATTERN "cli" EXCLUDE PATTERN "python" EXCLUDE)
install(EXPORT zeroth-targets NAMESPACE zeroth:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/zeroth)
configure_package_config_file(cmake/zeroth-config.cmake.in zeroth-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/zeroth)
write_basic_package_version_file(zeroth-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/zeroth-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/zeroth-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/zeroth)
