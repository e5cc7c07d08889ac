/** What metrics say of themselves. Anything may use it; it knows nothing. */
@NullMarked
package io.stele.storage.metrics;

import org.jspecify.annotations.NullMarked;
