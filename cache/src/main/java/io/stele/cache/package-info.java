/** Weight-bounded, single-flight caches of immutable things; knows nothing of tablets. */
@NullMarked
package io.stele.cache;

import org.jspecify.annotations.NullMarked;
