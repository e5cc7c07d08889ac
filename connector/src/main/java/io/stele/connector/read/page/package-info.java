/**
 * Pages and blocks: page sources over another one, and channels that make a column of what was
 * read. May be called by {@code read.opening}, {@code read.live} and {@code read.cache}. May touch
 * {@code read.prune}, {@code handle} and {@code type}.
 */
@NullMarked
package io.stele.connector.read.page;

import org.jspecify.annotations.NullMarked;
