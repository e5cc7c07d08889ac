/**
 * The types of Flink and of Stele, and the conversion of values between them.
 *
 * <p>All of this module may call it. It touches Flink's internal data and schemas of module
 * protocol.
 */
@NullMarked
package io.stele.flink.type;

import org.jspecify.annotations.NullMarked;
