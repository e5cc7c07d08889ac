package io.stele.protocol.api.maintenance;

/**
 * The reply to a removal of orphan files, with the number of deleted objects.
 *
 * @param deletedFiles deleted objects: a column file and its key index count as two
 */
public record RemoveOrphanFilesReply(long deletedFiles) {}
