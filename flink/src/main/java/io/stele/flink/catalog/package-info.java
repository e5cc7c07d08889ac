/**
 * The Flink catalog of Stele's schemas and tables.
 *
 * <p>Flink calls it, through its factory. It touches options, types, the root and the client.
 */
@NullMarked
package io.stele.flink.catalog;

import org.jspecify.annotations.NullMarked;
