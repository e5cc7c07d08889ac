/** Manifests of many files, of which a reader wants few. */
@NullMarked
package io.stele.benchmarks.manifest;

import org.jspecify.annotations.NullMarked;
