/** Servers of others for tests and benchmarks; below every floor, in no product. */
@NullMarked
package io.stele.testing;

import org.jspecify.annotations.NullMarked;
