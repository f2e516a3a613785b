using System.Collections.Generic;
using System.IO;
using Arwarden.Core;
using Arwarden.Unity;
using UnityEditor;
using UnityEditor.Build;
using UnityEngine;

namespace Arwarden.Editor
{
    /// <summary>Looks at the project before a headset has to, and puts the components into a scene.</summary>
    public static class SetupMenu
    {
        private const string ManifestPath = "Assets/Plugins/Android/AndroidManifest.xml";
        private const string CameraPermission = "horizonos.permission.HEADSET_CAMERA";

        [MenuItem("Tools/arwarden/Check this project")]
        public static void Check()
        {
            List<SetupFinding> found = SetupCheck.Findings(Facts());
            int faults = 0;
            foreach (SetupFinding finding in found)
            {
                faults += finding.IsFault ? 1 : 0;
                if (finding.IsFault)
                {
                    Debug.LogError("arwarden: " + finding.Text);
                }
                else
                {
                    Debug.Log("arwarden: " + finding.Text);
                }
            }
            Debug.Log(faults == 0 ? "arwarden: nothing stands in the way" : "arwarden: " + faults + " to mend");
        }

        [MenuItem("GameObject/arwarden/Client and overlay")]
        public static void AddClient()
        {
            var made = new GameObject("arwarden");
            made.AddComponent<ArwardenClient>();
            made.AddComponent<WarningOverlay>();
            Undo.RegisterCreatedObjectUndo(made, "Add arwarden");
            Selection.activeGameObject = made;
        }

        public static SetupFacts Facts()
        {
            ArwardenSettings settings = FindSettings();
            int layer = settings == null ? ArwardenSettings.DefaultOverlayLayer : settings.OverlayLayer;
            return new SetupFacts
            {
                HasSettings = settings != null,
                WhipUrl = settings == null ? "" : settings.ToSettings().WhipUrl,
                BuildsForAndroid = EditorUserBuildSettings.activeBuildTarget == BuildTarget.Android,
                UsesIl2Cpp = PlayerSettings.GetScriptingBackend(NamedBuildTarget.Android)
                    == ScriptingImplementation.IL2CPP,
                BuildsArm64 = (PlayerSettings.Android.targetArchitectures & AndroidArchitecture.ARM64) != 0,
                AsksForInternet = PlayerSettings.Android.forceInternetPermission,
                AllowsPlainHttp = PlayerSettings.insecureHttpOption == InsecureHttpOption.AlwaysAllowed,
                RunsInBackground = PlayerSettings.runInBackground,
                OverlayLayerName = LayerMask.LayerToName(layer) ?? "",
                ManifestNamesCamera = File.Exists(ManifestPath)
                    && File.ReadAllText(ManifestPath).Contains(CameraPermission),
#if ARWARDEN_WEBRTC
                HasWebRtc = true,
#endif
#if ARWARDEN_QUEST
                HasToolkit = true,
#endif
            };
        }

        private static ArwardenSettings FindSettings()
        {
            string[] found = AssetDatabase.FindAssets("t:ArwardenSettings");
            return found.Length == 0
                ? null
                : AssetDatabase.LoadAssetAtPath<ArwardenSettings>(AssetDatabase.GUIDToAssetPath(found[0]));
        }
    }
}
