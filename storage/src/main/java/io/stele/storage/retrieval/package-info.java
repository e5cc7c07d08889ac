/**
 * The download manager: ranges of objects read over a network, as many at a time as increase the
 * throughput, and requested again if an answer is late. It does not depend on a store; a store is a
 * {@link io.stele.storage.retrieval.RangeSource}.
 */
@NullMarked
package io.stele.storage.retrieval;

import org.jspecify.annotations.NullMarked;
