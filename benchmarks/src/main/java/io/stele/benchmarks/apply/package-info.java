/** The effect of apply workers on a hot shard: parallel apply compared with serial apply. */
@NullMarked
package io.stele.benchmarks.apply;

import org.jspecify.annotations.NullMarked;
