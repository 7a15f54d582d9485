# What `cmake --install` puts where, in the parts that packages are made of: runtime (the program),
# mpi (what runs under mpirun), dev (the C++ library), python.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# A wheel is told by scikit-build-core where its parts go, and has no C++ library in it.
if(SKBUILD)
  install(TARGETS zeroth_cli DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT runtime)
  install(TARGETS zeroth_python LIBRARY DESTINATION zeroth COMPONENT python)
  install(FILES ${python_package} DESTINATION zeroth COMPONENT python)
  install(FILES ${generated_docs_folder}/zeroth.1 DESTINATION ${SKBUILD_DATA_DIR}/share/man/man1 COMPONENT runtime)
  if(TARGET zeroth_mpi)
    install(TARGETS zeroth_mpi LIBRARY DESTINATION ${SKBUILD_DATA_DIR}/lib/zeroth COMPONENT mpi)
  endif()
  return()
endif()

install(TARGETS zeroth ${bundled_libraries} EXPORT zeroth-targets COMPONENT dev
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET zeroth_cli)
  install(TARGETS zeroth_cli COMPONENT runtime)
  install(FILES ${generated_docs_folder}/zeroth.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime)
  install(FILES ${generated_docs_folder}/zeroth.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME zeroth
    COMPONENT runtime)
  install(FILES ${generated_docs_folder}/_zeroth DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT runtime)
  install(FILES ${generated_docs_folder}/zeroth.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT runtime)
  install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime PATTERN "__pycache__" EXCLUDE)
endif()
if(TARGET zeroth_mpi)
  install(TARGETS zeroth_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/zeroth COMPONENT mpi)
endif()
if(TARGET zeroth_python)
  # Debian's interpreter looks for packages below /usr/local in dist-packages, others in site-packages.
  execute_process(COMMAND ${Python_EXECUTABLE} -c
    "import sysconfig; print('dist' if 'posix_local' in sysconfig.get_scheme_names() else 'site', end='')"
    OUTPUT_VARIABLE python_layout)
  set(ZEROTH_PYTHON_DIR lib/python${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}/${python_layout}-packages CACHE STRING
    "Where 'cmake --install' puts the Python package, below the prefix")
  install(TARGETS zeroth_python LIBRARY DESTINATION ${ZEROTH_PYTHON_DIR}/zeroth COMPONENT python)
  install(FILES ${python_package} DESTINATION ${ZEROTH_PYTHON_DIR}/zeroth COMPONENT python)
endif()
# Each package says whose work is in it. Libraries that are compiled along have their own terms.
foreach(part runtime=zeroth mpi=zeroth-mpi dev=libzeroth-dev python=python3-zeroth)
  string(REGEX MATCH "^(.+)=(.+)$" _ ${part})
  set(component ${CMAKE_MATCH_1})
  set(documents ${CMAKE_INSTALL_DATADIR}/doc/${CMAKE_MATCH_2})
  if(component MATCHES "^(mpi|python)$" AND NOT TARGET zeroth_${component})
    continue()
  endif()
  install(FILES LICENSE DESTINATION ${documents} RENAME copyright COMPONENT ${component})
  if(ZEROTH_BUNDLED AND NOT component STREQUAL mpi)
    file(GLOB terms RELATIVE ${third_party} ${third_party}/*/copyright ${third_party}/*/LICENSE)
    foreach(file ${terms})
      get_filename_component(library ${file} DIRECTORY)
      install(FILES ${third_party}/${file} DESTINATION ${documents}/third-party RENAME ${library} COMPONENT ${component})
    endforeach()
  endif()
endforeach()
# Public headers: zeroth.hpp and what it includes. They need only the standard library and Eigen; Stairs.PublicHeaders
# keeps this list complete, `scripts/docs` documents them, and all others are internal.
set(zeroth_public_headers
  zeroth.hpp catalog/catalog.hpp core/domain.hpp core/error.hpp core/intersection.hpp core/options.hpp
  core/problem.hpp core/quadratic_program.hpp core/random.hpp core/schedule.hpp core/search.hpp core/shapes.hpp core/vector.hpp run/minimize.hpp run/result.hpp)
foreach(header ${zeroth_public_headers})
  get_filename_component(room ${header} DIRECTORY)
  install(FILES src/zeroth/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/zeroth/${room} COMPONENT dev)
endforeach()
install(EXPORT zeroth-targets NAMESPACE zeroth:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/zeroth COMPONENT dev)
configure_package_config_file(cmake/zeroth-config.cmake.in zeroth-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/zeroth)
write_basic_package_version_file(zeroth-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/zeroth-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/zeroth-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/zeroth COMPONENT dev)
include(cmake/package.cmake)
