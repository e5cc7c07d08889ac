/**
 * The configuration options of tables and catalogs, and the connections that they describe.
 *
 * <p>All of this module may call it. It touches Flink's configuration and the client.
 */
@NullMarked
package io.stele.flink.option;

import org.jspecify.annotations.NullMarked;
