/** Statements as a tree: what the parser finds in SQL text, and how expressions are evaluated. */
@NullMarked
package io.stele.sidecar.postgresql.sql;

import org.jspecify.annotations.NullMarked;
