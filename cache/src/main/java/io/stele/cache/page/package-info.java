/** Pages of immutable files on local disks: the contract, its front, and what stores share. */
@NullMarked
package io.stele.cache.page;

import org.jspecify.annotations.NullMarked;
