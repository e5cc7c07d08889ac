/**
 * The download manager: ranges of objects read over a network, as many at a time as the store
 * rewards, asked for again where an answer is late. Knows no store; one is a {@link
 * io.stele.storage.retrieval.RangeSource}.
 */
@NullMarked
package io.stele.storage.retrieval;

import org.jspecify.annotations.NullMarked;
