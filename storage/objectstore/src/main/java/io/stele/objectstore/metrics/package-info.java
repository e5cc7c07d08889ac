/**
 * What metrics say of themselves.
 *
 * <p>Anything may use it. It touches nothing.
 */
@NullMarked
package io.stele.objectstore.metrics;

import org.jspecify.annotations.NullMarked;
