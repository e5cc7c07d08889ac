/**
 * Servers for tests and benchmarks, of others, and sidecars as processes; checks that tests of
 * several modules share. Below every floor, in no product.
 */
@NullMarked
package io.stele.testing;

import org.jspecify.annotations.NullMarked;
