/**
 * What a scan may leave out: shards, files, row groups and rows, by values, limits, orders and
 * samples. May be called by all other packages of {@code read}, {@code metadata.pushdown} and the
 * root package. May touch {@code handle} and {@code type}, and no other package of {@code read}.
 */
@NullMarked
package io.stele.connector.read.prune;

import org.jspecify.annotations.NullMarked;
