/**
 * What the coordinator keeps of tables and views between queries, and how it learns that it is
 * something else by now.
 */
@NullMarked
package io.stele.connector.metadata.cache;

import org.jspecify.annotations.NullMarked;
