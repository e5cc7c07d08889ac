package io.stele.objectstore;

import java.util.List;

/**
 * The direct content of one folder of a {@link FolderStore}, in path order.
 *
 * @param objects in the folder itself, with their whole paths
 * @param folders the names of the direct subfolders, without their parents' path and without
 *     slashes
 */
public record FolderLevel(List<ObjectEntry> objects, List<String> folders) {
    /** The content of a folder that is empty or does not exist. */
    public static final FolderLevel EMPTY = new FolderLevel(List.of(), List.of());

    public FolderLevel {
        objects = List.copyOf(objects);
        folders = List.copyOf(folders);
    }
}
