/** What travels between coordinator and workers: table, column, split and write handles. */
@NullMarked
package io.stele.connector.handle;

import org.jspecify.annotations.NullMarked;
