/** What lanes do for a hot shard: parallel apply beside serial apply. */
@NullMarked
package io.stele.benchmarks.apply;

import org.jspecify.annotations.NullMarked;
