/** Weight-bounded, single-flight caches of immutable things. It does not depend on storage. */
@NullMarked
package io.stele.cache;

import org.jspecify.annotations.NullMarked;
