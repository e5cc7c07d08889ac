/** Random statements on Stele, and on Trino's memory connector as their oracle. */
@NullMarked
package io.stele.connector.differential;

import org.jspecify.annotations.NullMarked;
