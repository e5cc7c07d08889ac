/**
 * The download manager: ranges of objects read over a network, as many at a time as the store
 * rewards, asked for again where an answer is late.
 *
 * <p>Stores over a network may call it, and who reads them ahead. It knows no store; one is a
 * {@link io.stele.objectstore.retrieval.RangeSource}.
 */
@NullMarked
package io.stele.objectstore.retrieval;

import org.jspecify.annotations.NullMarked;
