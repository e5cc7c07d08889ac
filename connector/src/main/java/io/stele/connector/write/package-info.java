/** Page sinks: rows into the log, or sorted files into the warehouse. */
@NullMarked
package io.stele.connector.write;

import org.jspecify.annotations.NullMarked;
