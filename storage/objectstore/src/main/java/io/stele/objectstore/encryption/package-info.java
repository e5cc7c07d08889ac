/**
 * Encryption of everything that a warehouse and a log keep.
 *
 * <p>Front ends and the engine may call it. It may touch the contract of object stores.
 */
@NullMarked
package io.stele.objectstore.encryption;

import org.jspecify.annotations.NullMarked;
