/**
 * Rows, keys and single values as bytes: the forms that the wire, the log, memtables and SST files
 * share.
 */
@NullMarked
package io.stele.protocol.row;

import org.jspecify.annotations.NullMarked;
