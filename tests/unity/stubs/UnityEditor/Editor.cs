// What the package uses of the editor. SR = docs.unity3d.com/6000.0/Documentation/ScriptReference/
using System;
using System.Runtime.CompilerServices;
using UnityEditor.Build;
using UnityEngine;

[assembly: InternalsVisibleTo("Arwarden.EngineTests")]

namespace UnityEditor
{
    [AttributeUsage(AttributeTargets.Class)]
    public class CustomEditor : Attribute // SR CustomEditor
    {
        public CustomEditor(Type inspectedType) // SR CustomEditor-ctor
        {
        }
    }

    [AttributeUsage(AttributeTargets.Method)]
    public sealed class MenuItem : Attribute // SR MenuItem
    {
        public MenuItem(string itemName) // SR MenuItem-ctor
        {
        }
    }

    public enum MessageType // SR MessageType
    {
        None,
        Info,
        Warning,
        Error,
    }

    public class Editor : ScriptableObject // SR Editor
    {
        public UnityEngine.Object target { get; set; } // SR Editor-target

        public virtual void OnInspectorGUI() // SR Editor.OnInspectorGUI
        {
        }

        public bool DrawDefaultInspector() // SR Editor.DrawDefaultInspector
        {
            return false;
        }
    }

    public sealed class EditorGUILayout // SR EditorGUILayout
    {
        internal static readonly System.Collections.Generic.List<string> Boxes =
            new System.Collections.Generic.List<string>();

        public static void HelpBox(string message, MessageType type) // SR EditorGUILayout.HelpBox
        {
            Boxes.Add(type + " " + message);
        }
    }

    public sealed class Undo // SR Undo
    {
        public static void RegisterCreatedObjectUndo(UnityEngine.Object objectToUndo, string name) // SR Undo.RegisterCreatedObjectUndo
        {
        }
    }

    public sealed class Selection // SR Selection
    {
        public static GameObject activeGameObject { get; set; } // SR Selection-activeGameObject
    }

    public sealed class AssetDatabase // SR AssetDatabase
    {
        internal static UnityEngine.Object Asset;

        public static string[] FindAssets(string filter) // SR AssetDatabase.FindAssets
        {
            return Asset == null ? new string[0] : new[] { "guid" };
        }

        public static string GUIDToAssetPath(string guid) // SR AssetDatabase.GUIDToAssetPath
        {
            return "Assets/" + guid;
        }

        public static T LoadAssetAtPath<T>(string assetPath) // SR AssetDatabase.LoadAssetAtPath
            where T : UnityEngine.Object
        {
            return (T)Asset;
        }
    }

    public enum BuildTarget // SR BuildTarget
    {
        StandaloneWindows64 = 19,
        Android = 13,
    }

    public class EditorUserBuildSettings // SR EditorUserBuildSettings
    {
        public static BuildTarget activeBuildTarget { get; internal set; } // SR EditorUserBuildSettings-activeBuildTarget
    }

    public enum ScriptingImplementation // SR ScriptingImplementation
    {
        Mono2x = 0,
        IL2CPP = 1,
    }

    public enum InsecureHttpOption // SR InsecureHttpOption
    {
        NotAllowed,
        DevelopmentOnly,
        AlwaysAllowed,
    }

    [Flags]
    public enum AndroidArchitecture : uint // SR AndroidArchitecture
    {
        None = 0,
        ARMv7 = 1,
        ARM64 = 2,
    }

    public sealed class PlayerSettings // SR PlayerSettings
    {
        internal static ScriptingImplementation Backend;

        public static bool runInBackground { get; set; } // SR PlayerSettings-runInBackground

        public static InsecureHttpOption insecureHttpOption { get; set; } // SR PlayerSettings-insecureHttpOption

        public static ScriptingImplementation GetScriptingBackend(NamedBuildTarget buildTarget) // SR PlayerSettings.GetScriptingBackend
        {
            return Backend;
        }

        public sealed class Android // SR PlayerSettings.Android
        {
            public static AndroidArchitecture targetArchitectures { get; set; } // SR PlayerSettings.Android-targetArchitectures

            public static bool forceInternetPermission { get; set; } // SR PlayerSettings.Android-forceInternetPermission
        }
    }
}

namespace UnityEditor.Build
{
    public struct NamedBuildTarget // SR Build.NamedBuildTarget
    {
        public static readonly NamedBuildTarget Android = new NamedBuildTarget(); // SR Build.NamedBuildTarget
    }
}
