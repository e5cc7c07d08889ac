/**
 * The types of Flink and of Stele, and the conversion of values between them.
 *
 * <p>All of this module may call it. It touches Flink's internal data and the schemas of module
 * {@code protocol}.
 */
@NullMarked
package io.stele.flink.type;

import org.jspecify.annotations.NullMarked;
