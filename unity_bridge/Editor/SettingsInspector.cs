using System.Collections.Generic;
using Arwarden.Core;
using Arwarden.Unity;
using UnityEditor;

namespace Arwarden.Editor
{
    /// <summary>The settings, with what is wrong with them said beside them.</summary>
    [CustomEditor(typeof(ArwardenSettings))]
    public sealed class SettingsInspector : UnityEditor.Editor
    {
        public override void OnInspectorGUI()
        {
            DrawDefaultInspector();
            BridgeSettings values = ((ArwardenSettings)target).ToSettings();
            Say(SettingsCheck.Faults(values), MessageType.Error);
            Say(SettingsCheck.Notes(values), MessageType.Info);
        }

        private static void Say(List<string> texts, MessageType type)
        {
            foreach (string text in texts)
            {
                EditorGUILayout.HelpBox(text, type);
            }
        }
    }
}
