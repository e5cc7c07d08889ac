/**
 * Servers for tests and benchmarks: of others, and sidecars as processes; below every floor, in no
 * product.
 */
@NullMarked
package io.stele.testing;

import org.jspecify.annotations.NullMarked;
